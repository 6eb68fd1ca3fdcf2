# One storey in space on fibre columns, with a stiff floor, weight, and El Centro askew: N, m, s.
model basic -ndm 3 -ndf 6
set wide 5.0; set deep 4.0; set high 3.0
set corners [list [list 0.0 0.0] [list $wide 0.0] [list $wide $deep] [list 0.0 $deep]]
set k 0
foreach corner $corners {
    incr k
    node $k {*}$corner 0.0
    node [expr {10 + $k}] {*}$corner $high
    fix $k 1 1 1 1 1 1
}

# Square tube 200 × 10, yielding.
uniaxialMaterial Steel01 1 355.0e6 210.0e9 0.02
set a 0.1
set t 0.01
set i [expr {$a - $t}]
section Fiber 1 -GJ 4.0e6 {
    patch rect 1 2 8 -$a -$a -$i $a
    patch rect 1 2 8 $i -$a $a $a
    patch rect 1 8 2 -$i -$a $i -$i
    patch rect 1 8 2 -$i $i $i $a
}
geomTransf PDelta 1 0 1 0
geomTransf Linear 2 0 0 1
for {set c 1} {$c <= 4} {incr c} {
    set top [expr {10 + $c}]
    element nonlinearBeamColumn $c $c $top 4 1 1 -iter 50 1e-14
    set next [expr {$c == 4 ? 11 : $top + 1}]
    element elasticBeamColumn [expr {100 + $c}] $top $next 5.4e-3 210e9 80e9 2e-7 6e-6 8.4e-5 2
}
node 10 [expr {0.5 * $wide}] [expr {0.5 * $deep}] $high
fix 10 0 0 1 1 1 0
rigidDiaphragm 3 10 11 12 13 14
set m 45.0e3
mass 10 $m $m 0.0 0.0 0.0 [expr {$m * ($wide**2 + $deep**2) / 12.0}]

timeSeries Linear 1
pattern Plain 1 1 {
    for {set c 11} {$c <= 14} {incr c} { load $c 0 0 [expr {-$m * 9.81 / 4}] 0 0 0 }
}
constraints Transformation
numberer RCM
system BandGeneral
test NormDispIncr 1e-11 50
algorithm Newton
integrator LoadControl 0.25
analysis Static
analyze 4
loadConst -time 0.0
wipeAnalysis

timeSeries Path 2 -dt 0.02 -filePath el-centro.txt -factor [expr {1.5 * 9.80665}]
pattern UniformExcitation 2 1 -accel 2
pattern UniformExcitation 3 2 -accel 2 -fact 0.7
rayleigh 0.3 0.0 0.0 0.0
constraints Transformation
numberer RCM
system BandGeneral
test NormDispIncr 1e-11 50
algorithm Newton
integrator Newmark 0.5 0.25
analysis Transient
analyze 600 0.005
