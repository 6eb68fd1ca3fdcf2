# Kinds of elements and sections side by side, each with a mass of its own, under El Centro and their weight: kip, in, s.
model basic -ndm 2 -ndf 3
set g 386.089
set E 29000.0
set G 11200.0
set m 0.05
geomTransf Linear 1
geomTransf PDelta 2
geomTransf Corotational 3

# A cantilever of height h from node tag to tag + 1.
proc cantilever {tag x h} {
    global m
    node $tag $x 0.0
    node [expr {$tag + 1}] $x $h -mass $m $m 0.0
    fix $tag 1 1 1
}

# 10: shear deformation
cantilever 10 0.0 40.0
element ElasticTimoshenkoBeam 10 10 11 $E $G 5.0 60.0 2.0 1

# 20: a propped column that is released at its top
cantilever 20 100.0 120.0
element elasticBeamColumn 20 20 21 5.0 $E 60.0 2 -release 2
node 22 250.0 120.0
fix 22 0 1 1
element elasticBeamColumn 21 21 22 5.0 $E 60.0 1
node 23 250.0 0.0
fix 23 1 1 1
uniaxialMaterial Elastic 20 30.0
element twoNodeLink 22 23 22 -mat 20 -dir 2

# 30: displacement-based, round concrete section with a circle of bars
uniaxialMaterial Concrete01 31 -5.0 -0.002 -1.0 -0.006
uniaxialMaterial Concrete01 32 -6.5 -0.004 -4.0 -0.02
uniaxialMaterial Steel02 33 60.0 $E 0.01 18.0 0.925 0.15
section Fiber 30 {
    patch circ 32 12 6 0.0 0.0 0.0 8.0 0.0 360.0
    patch circ 31 12 2 0.0 0.0 8.0 10.0
    layer circ 33 8 0.79 0.0 0.0 8.0
}
cantilever 30 300.0 120.0
beamIntegration Legendre 30 30 4
element dispBeamColumn 30 30 31 1 30

# 40: force-based, quadrilateral patches, single bars, corotational
section Fiber 40 {
    patch quad 32 6 4 -8 -8 8 -8 8 8 -8 8
    layer straight 33 3 0.6 -7 -7 -7 7
    fiber 7 -7 0.6 33
    fiber 7 7 0.6 33
}
cantilever 40 400.0 120.0
beamIntegration Lobatto 40 40 4
element forceBeamColumn 40 40 41 3 40

# 50: an elastic section in a force-based member, Legendre points
section Elastic 50 $E 5.0 60.0
cantilever 50 500.0 100.0
beamIntegration Legendre 50 50 3
element forceBeamColumn 50 50 51 1 50 -mass 1.0e-4

# 60: on springs, one of them yielding, in axes of its own
cantilever 60 600.0 0.0
uniaxialMaterial Steel01 61 8.0 60.0 0.05
uniaxialMaterial Elastic 62 400.0
uniaxialMaterial Elastic 63 9000.0
element zeroLength 60 60 61 -mat 62 61 63 -dir 1 2 6 -orient 0 1 0 -1 0 0

# 70: isolated
cantilever 70 700.0 0.0
uniaxialMaterial Elastic 71 2000.0
element elastomericBearingPlasticity 70 70 71 60.0 4.0 0.1 0.0 1.0 -P 71 -Mz 63 -orient 0 1 0 -1 0 0

# 80: a bar that turns far, held by a rigid arm
cantilever 80 800.0 60.0
element elasticBeamColumn 80 80 81 5.0 $E 30.0 1
node 82 830.0 60.0
rigidLink beam 81 82
node 83 860.0 0.0
fix 83 1 1 1
element corotTruss 81 83 82 0.3 33 -rho 1.0e-5 -doRayleigh 1

# 90: fibres with a yielding law for the shear force, squat
section Fiber 90 {
    patch rect 33 10 1 -8 -4 8 4
}
uniaxialMaterial Steel01 91 14.0 4.0e3 0.02
section Aggregator 91 91 Vy -section 90
cantilever 90 900.0 30.0
beamIntegration Lobatto 90 91 4
element forceBeamColumn 90 90 91 1 90 -iter 40 1e-14

# 100: laws for section forces alone, with a load along the member
uniaxialMaterial Elastic 101 1.5e5
uniaxialMaterial Steel02 102 400.0 1.8e6 0.02 18.0 0.925 0.15
uniaxialMaterial Elastic 103 2.0e3
section Aggregator 101 101 P 102 Mz 103 Vy
cantilever 100 1000.0 60.0
beamIntegration Lobatto 100 101 5
element forceBeamColumn 100 100 101 1 100 -iter 40 1e-14

timeSeries Constant 1
pattern Plain 1 1 {
    eleLoad -ele 100 -type -beamUniform 0.05
    foreach top {11 21 31 41 51 61 71 81 91 101} { load $top 0.0 [expr {-$m * $g}] 0.0 }
    eleLoad -ele 21 -type -beamUniform -0.01
}
constraints Transformation
numberer RCM
system BandGeneral
test NormDispIncr 1e-10 100
algorithm Newton
integrator LoadControl 1.0
analysis Static
analyze 1
loadConst -time 0.0
wipeAnalysis

timeSeries Path 2 -dt 0.02 -filePath el-centro.txt -factor $g
pattern UniformExcitation 2 1 -accel 2
rayleigh 0.2 0.0 0.0 0.0
constraints Transformation
numberer RCM
system BandGeneral
test NormDispIncr 1e-10 100
algorithm Newton
integrator Newmark 0.5 0.25
analysis Transient
analyze 800 0.005
