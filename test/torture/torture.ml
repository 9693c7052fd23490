(* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only *)
(* What OCaml's own code does: collects, raises through frames, calls closures
   with more arguments than registers, and takes signals where it allocates.

     torture ROUNDS *)
exception Found of int

let rec tree n = if n = 0 then [] else (n, string_of_int n) :: tree (n - 1)
let find k l = try List.iter (fun (i, _) -> if i = k then raise (Found i)) l; 0
  with Found i -> i * 3
let many a b c d e f g h i j k l = a + b * c - d + e * f - g + h * i - j + k * l
let ticks = ref 0

let () =
  Sys.set_signal Sys.sigvtalrm (Sys.Signal_handle (fun _ -> incr ticks));
  ignore (Unix.setitimer Unix.ITIMER_VIRTUAL
            { Unix.it_interval = 0.002; it_value = 0.002 });
  let sum = ref 0 in
  for i = 1 to int_of_string Sys.argv.(1) do
    let l = tree 300 in
    let h = Hashtbl.create 16 in
    List.iter (fun (k, v) -> Hashtbl.replace h (k mod 37) v) l;
    sum := (!sum * 31 + find (i mod 400) l + Hashtbl.length h
            + many i 2 3 4 5 6 7 8 9 10 11 12) land 0xffffff;
    if i mod 500 = 0 then Gc.compact ()
  done;
  Printf.printf "%d %b\n" !sum (!ticks > 0);
  exit 9
