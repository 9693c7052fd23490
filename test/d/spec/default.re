CPU     ID                    FUNCTION:NAME
 +\d+ +\d+ +:BEGIN 
 +\d+ +\d+ +:BEGIN 
 +\d+ +\d+ +:BEGIN        17

dtrace: script 'default\.d' matched 5 probes
