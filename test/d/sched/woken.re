
 +waits`inner\+0x[0-9a-f]+
 +waits`middle\+0x[0-9a-f]+
 +waits`outer\+0x[0-9a-f]+
 +waits`main\+0x[0-9a-f]+

