
 +waits`inner\+0x[0-9a-f]+
 +waits`middle\+0x[0-9a-f]+
 +waits`outer\+0x[0-9a-f]+
 +waits`main\+0x[0-9a-f]+
(1[5-9]|20)

 +waits`inner\+0x[0-9a-f]+
(1[5-9]|20)
waits`middle (1[5-9]|20)
1 (1[5-9]|20)

