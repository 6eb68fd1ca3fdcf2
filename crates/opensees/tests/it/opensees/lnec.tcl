# Two bays of 3.6 m, columns of 1.8 m hinged at their tops, one of them on a rotational spring: kN, m, s.
# Columns HEB100 without fillets, beams IPE240, steel S355; El Centro, implicit Newmark.
wipe
model BasicBuilder -ndm 2 -ndf 3

proc hinge {retained constrained} {
    equalDOF $retained $constrained 1 2
}

set height 1.8
set bay 3.6
set mass 25.96751
for {set i 0} {$i < 3} {incr i} {
    set x [expr {$i * $bay}]
    node [expr {10 + $i}] $x 0.0
    node [expr {20 + $i}] $x $height
    # the beam's node on top of the column's
    set share [expr {$i == 1 ? 0.5 : 0.25}]
    node [expr {30 + $i}] $x $height -mass [expr {$share * $mass}] 0.0 0.0
    hinge [expr {30 + $i}] [expr {20 + $i}]
}
# foot of the column that could be a specimen
node 9 0.0 0.0
fix 9 1 1 1
fix 10 1 1 0
fix 11 1 1 1
fix 12 1 1 1
uniaxialMaterial Elastic 9 1942.0
element zeroLength 9 9 10 -mat 9 -dir 6

set E 210.0e6
uniaxialMaterial Steel02 1 355.0e3 $E 0.0108696 20.0 0.925 0.15
section Fiber 1 {
    # HEB100: two flanges and a web
    patch rect 1 4 1 -0.050 -0.050 -0.040 0.050
    patch rect 1 16 1 -0.040 -0.003 0.040 0.003
    patch rect 1 4 1 0.040 -0.050 0.050 0.050
}
geomTransf Linear 1
beamIntegration Lobatto 1 1 5
for {set i 0} {$i < 3} {incr i} {
    element forceBeamColumn [expr {100 + $i}] [expr {10 + $i}] [expr {20 + $i}] 1 1 -iter 100 1e-16
}
foreach {tag i j} {200 30 31 201 31 32} {
    element elasticBeamColumn $tag $i $j 39.12e-4 $E 3892e-8 1
}

set g 9.80665
timeSeries Path 1 -dt 0.02 -filePath el-centro.txt -factor $g
pattern UniformExcitation 1 1 -accel 1
rayleigh 0.2714336 0.0 0.0 0.0

constraints Transformation
numberer RCM
system BandGeneral
test NormDispIncr 1e-12 50
algorithm Newton
integrator Newmark 0.5 0.25
analysis Transient
set dt 0.004
analyze [expr {int(8.0 / $dt)}] $dt
