# Two storeys, one bay: fibre columns on fixed feet, elastic beams, one diagonal brace. kN, m, s.
#   tandem import frame.tcl --units "kN, m, s" -o plan.toml
wipe
model basic -ndm 2 -ndf 3

set bay 6.0
set storey 3.5
set E 210.0e6
set mass 20.0
set g 9.81

# Nodes: 10 × storey + axis.
for {set s 0} {$s <= 2} {incr s} {
    foreach axis {1 2} {
        set tag [expr {10 * $s + $axis}]
        node $tag [expr {($axis - 1) * $bay}] [expr {$s * $storey}]
        if {$s == 0} {
            fix $tag 1 1 1
        } else {
            mass $tag $mass $mass 0.0
        }
    }
}

# HEB200 of steel S355, without fillets.
uniaxialMaterial Steel02 1 355.0e3 $E 0.01 20.0 0.925 0.15
section Fiber 1 {
    patch rect 1 4 1 -0.100 -0.1000 -0.085 0.1000
    patch rect 1 12 1 -0.085 -0.0045 0.085 0.0045
    patch rect 1 4 1 0.085 -0.1000 0.100 0.1000
}
uniaxialMaterial ElasticPP 2 $E 0.0012

geomTransf PDelta 1
geomTransf Linear 2
foreach axis {1 2} {
    foreach s {1 2} {
        set top [expr {10 * $s + $axis}]
        element nonlinearBeamColumn $top [expr {$top - 10}] $top 5 1 1
    }
}
element elasticBeamColumn 101 11 12 8.45e-3 $E 2.313e-4 2
element elasticBeamColumn 102 21 22 8.45e-3 $E 2.313e-4 2
element truss 201 1 12 6.0e-4 2

# Weight, then the ground moves.
timeSeries Linear 1
pattern Plain 1 1 {
    foreach node {11 12 21 22} { load $node 0.0 [expr {-$mass * $g}] 0.0 }
}
constraints Plain
numberer RCM
system BandGeneral
test NormDispIncr 1.0e-10 30
algorithm Newton
integrator LoadControl 0.2
analysis Static
analyze 5
loadConst -time 0.0
wipeAnalysis

# 3 % of critical in the first mode, proportional to mass.
set omega [expr {sqrt([lindex [eigen 1] 0])}]
rayleigh [expr {2.0 * 0.03 * $omega}] 0.0 0.0 0.0

timeSeries Path 2 -dt 0.02 -filePath motion.txt -factor $g
pattern UniformExcitation 2 1 -accel 2
recorder Node -file roof.out -time -node 21 -dof 1 disp
constraints Plain
numberer RCM
system BandGeneral
test NormDispIncr 1.0e-10 30
algorithm Newton
integrator Newmark 0.5 0.25
analysis Transient
analyze 1200 0.005
