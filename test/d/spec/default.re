CPU     ID                    FUNCTION:NAME
 +\d+ +\d+ +:BEGIN 
 +\d+ +\d+ +:BEGIN 
 +\d+ +\d+ +:BEGIN        17

