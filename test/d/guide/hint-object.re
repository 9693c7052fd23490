dtrace: hint\-object\.d:8:1: probe description :pid\d+::malloc does not match any probes \(did you mean pid\$target::malloc:entry\?\)
    pid\$target::malloc \{ \}
    \^
dtrace: hint\-object\.d:9:1: probe description :pid\d+:T:work does not match any probes: such a probe has four fields, pid\$target:OBJECT:FUNCTION:entry or :return
    pid\$target:T:work \{ \}
    \^
dtrace: hint\-object\.d:10:1: no function named fact in parts of process \d+ \(the compiler has made fact\.constprop\.0 of it\)
    pid\$target:a\.out:fact:entry \{ \}
    \^
dtrace: hint\-object\.d:11:1: no function named many in parts of process \d+ \(the compiler has made many\.part\.0 and others of it: many\.\* matches them\)
    pid\$target:a\.out:many:entry \{ \}
    \^
dtrace: hint\-object\.d:12:1: no function named add in parts of process \d+ \(2 functions have it in their linker's names, such as _ZN4shop3addEi: \*3add\* matches them\)
    pid\$target:a\.out:add:entry \{ \}
    \^
dtrace: hint\-object\.d:13:1: no function named pay in parts of process \d+ \(its linker's name is perhaps _ZN4shop3payEi\)
    pid\$target:a\.out:pay:entry \{ \}
    \^
dtrace: hint\-object\.d:14:1: probe description pidN:a\.out:shop\*pay:entry does not match any probes: none of the \d+ functions of a\.out matches shop\*pay \(did you mean \*shop\*pay\*\?\)
    pid\$target:a\.out:shop\*pay:entry \{ \}
    \^
