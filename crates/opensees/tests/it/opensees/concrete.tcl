# Two bars of concrete without strength in tension, each beside a soft spring: kip, in, s.
model basic -ndm 2 -ndf 3
set g 386.089
uniaxialMaterial Elastic 1 400.0
uniaxialMaterial Concrete02 2 -5.0 -0.002 -1.0 -0.008 0.1 0.0 0.0
uniaxialMaterial Concrete02 3 -5.0 -0.002 -1.0 -0.008 0.3 0.0 200.0

foreach row {2 3} {
    uniaxialMaterial Parallel [expr {10 + $row}] $row 1
    node $row 0.0 [expr {10.0 * $row}]
    node [expr {100 + $row}] 100.0 [expr {10.0 * $row}] -mass 0.02 0.0 0.0
    fix $row 1 1 1
    fix [expr {100 + $row}] 0 1 1
    element truss $row $row [expr {100 + $row}] 0.2 [expr {10 + $row}]
}

timeSeries Path 1 -dt 0.02 -filePath el-centro.txt -factor $g
pattern UniformExcitation 1 1 -accel 1
constraints Plain
numberer Plain
system BandGeneral
test NormDispIncr 1e-12 100
algorithm Newton
integrator Newmark 0.5 0.25
analysis Transient
analyze 1000 0.005
