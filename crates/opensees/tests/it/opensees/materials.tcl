# One bar and one mass for every material, all shaken together: kip, in, s.
model basic -ndm 2 -ndf 3
set g 386.089
set E 29000.0
set soft 400.0

uniaxialMaterial Elastic 1 1000.0 2.0
uniaxialMaterial Elastic 2 800.0 0.0 1500.0
uniaxialMaterial Elastic 3 $soft
uniaxialMaterial ENT 4 1200.0
uniaxialMaterial ElasticPP 5 $E 0.0012
uniaxialMaterial ElasticPP 6 $E 0.0012 -0.0016 0.0001
uniaxialMaterial Steel01 7 36.0 $E 0.03
uniaxialMaterial Steel01 8 36.0 $E 0.03 0.02 5.0 0.02 5.0
uniaxialMaterial Steel02 9 36.0 $E 0.03
uniaxialMaterial Steel02 10 36.0 $E 0.03 18.5 0.925 0.15 0.01 1.0 0.01 1.0
uniaxialMaterial Hardening 11 $E 36.0 0.0 900.0
uniaxialMaterial Concrete01 12 -5.0 -0.002 -1.0 -0.008
uniaxialMaterial Concrete02 13 -5.0 -0.002 -1.0 -0.008 0.1 0.5 200.0
uniaxialMaterial BoucWen 14 0.05 $E 1.0 400.0 400.0 1.0 0.0 0.0 0.0
uniaxialMaterial Hysteretic 15 36.0 0.0012 45.0 0.01 30.0 0.03 -36.0 -0.0012 -45.0 -0.01 -30.0 -0.03 0.8 0.3 0.0 0.0 0.2
uniaxialMaterial ElasticPPGap 16 $E 30.0 0.001
uniaxialMaterial ElasticPPGap 17 $E -30.0 -0.001 0.02
uniaxialMaterial Viscous 18 20.0 1.0
uniaxialMaterial MinMax 19 7 -min -0.012 -max 0.008
uniaxialMaterial InitStrainMaterial 20 7 0.0005
uniaxialMaterial Elastic 21 60000.0
uniaxialMaterial Series 22 21 7

# Laws without stiffness on one side, or at rest, stand beside a soft spring.
foreach {tag inner} {104 4 112 12 113 13 116 16 117 17 118 18 119 19} {
    uniaxialMaterial Parallel $tag $inner 3
}
uniaxialMaterial Parallel 150 3 7 -factors 0.5 0.25

set row 0
foreach material {1 2 104 5 6 7 8 9 10 11 112 113 14 15 116 117 118 119 20 22 150} {
    incr row
    node $row 0.0 [expr {10.0 * $row}]
    node [expr {100 + $row}] 100.0 [expr {10.0 * $row}] -mass 0.02 0.0 0.0
    fix $row 1 1 1
    fix [expr {100 + $row}] 0 1 1
    element truss $row $row [expr {100 + $row}] 0.2 $material
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
