# An elastic portal under a sideways and a vertical load: 6 m wide, 3 m high, N, m, s.
model basic -ndm 2 -ndf 3
set E 210.0e9
set columns {{1 2} {4 3}}
node 1 0.0 0.0
node 2 0.0 3.0 -mass 1000.0 1000.0 10.0
node 3 6.0 3.0
node 4 6.0 0.0
mass 3 1000.0 1000.0 10.0
fixY 0.0 1 1 1

geomTransf Linear 1
set tag 0
foreach ends $columns {
    incr tag
    element elasticBeamColumn $tag [lindex $ends 0] [lindex $ends 1] 0.00538 $E 4.18e-5 1 -mass 42.3
}
element elasticBeamColumn [expr $tag + 1] 2 3 0.00845 $E 2.313e-4 1 -mass 66.3 -cMass ; # the beam

pattern Plain 1 Linear {
    load 2 20e3 0.0 0.0
    eleLoad -ele 3 -type -beamUniform -5.0e3
}
constraints Plain
numberer RCM
system BandGeneral
test NormDispIncr 1e-12 10
algorithm Newton
integrator LoadControl 0.5
analysis Static
analyze 2
