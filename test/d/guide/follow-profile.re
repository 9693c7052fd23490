
dtrace: process \d+: profile probes sample it alone, and none of the processes that it makes \(-x follow\); -x engine=kernel and /progenyof\(\$target\)/ sample all
