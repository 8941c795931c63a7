# Written by tsunagi. Restyle it, then draw again, in this folder: gnuplot x.gp
set encoding utf8
set terminal svg size 900,522 font 'Helvetica,13' noenhanced background '#ffffff'
set output 'x.svg'
set style line 1 lc rgb '#0072b2' dt solid lw 2 pt 7 ps 0.7
set errorbars 1.5
set style textbox opaque noborder fillcolor rgb '#ffffff' margins 0.5,0.5
set grid lc rgb '#dddddd' lw 1
set border lc rgb '#444444'
set lmargin at screen 0.1056
set rmargin at screen 0.9722
set xrange [*:*] noextend
set offsets graph 0.02, graph 0.02, 0, 0
set logscale x 2
set xtics ('2 B' 2, '8 B' 8, '32 B' 32, '128 B' 128, '512 B' 512, '2 KiB' 2048, '8 KiB' 8192, '32 KiB' 32768, '128 KiB' 131072, '512 KiB' 524288, '2 MiB' 2097152, '8 MiB' 8388608)
set multiplot title 'ib_write_lat of perftest over FDR10: half the time from one RDMA write to the next, polled in memory' font ',14' noenhanced
set tmargin at screen 0.9042
set bmargin at screen 0.1379
set xlabel 'size'
set key at screen 0.5,0.0230 center top horizontal font ',11' Left reverse samplen 5 maxcols 1
set ylabel 'mean (us)'
set logscale y
set format y '%g'
set yrange [*:*]
plot 'x.dat' index 0 using 1:2 with linespoints ls 1 notitle
unset multiplot
