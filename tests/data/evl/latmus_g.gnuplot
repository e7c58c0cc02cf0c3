# test started on: Thu Feb 29 12:00:05 2024
# Linux version 6.6.15+ (me@here) (aarch64-linux-gnu-gcc 13.2.0, GNU ld 2.41) #3 SMP IRQPIPE Thu Feb 29 11:12:13 UTC 2024
# root=/dev/mmcblk0p2 rw isolcpus=2,3
# libevl version: evl.0.46 -- #0123abc (2024-02-20 10:00:00 +0100)
# sampling period: 1000 microseconds
# clock gravity: 0i 1000k 2000u
# clocksource: arch_sys_counter
# vDSO access: architected
# context: user
# thread priority: 98
# thread affinity: CPU2
# C-state restricted
# duration (hhmmss): 00:00:03
# peak (hhmmss): 00:00:02
# min latency: 2.611
# avg latency: 4.208
# max latency: 35.930
# sample count: 3017
2 401
3 1220
4 977
5 300
6 92
7 0
8 21
9+ 6
