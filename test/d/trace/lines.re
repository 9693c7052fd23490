CPU     ID                    FUNCTION:NAME
 +\d+ +1 +:BEGIN 
 +\d+ +1 +:BEGIN         2a
b

 +\d+ +1 +:BEGIN c

dtrace: script 'lines\.d' matched 3 probes
