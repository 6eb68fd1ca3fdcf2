# Three storeys, three bays: HEB300 columns, IPE400 beams, steel S355 in fibres, under its weight. N, m, s.
wipe
model basic -ndm 2 -ndf 3
set bays 3
set storeys 3
set bay 6.0
set storey 3.5
set mass 15.0e3

proc tag {storey axis} { return [expr {10 * $storey + $axis}] }

for {set s 0} {$s <= $storeys} {incr s} {
    for {set a 0} {$a <= $bays} {incr a} {
        node [tag $s $a] [expr {$a * $bay}] [expr {$s * $storey}]
        if {$s == 0} {
            fix [tag $s $a] 1 1 1
        } else {
            mass [tag $s $a] $mass $mass 0.0
        }
    }
}

uniaxialMaterial Steel02 1 355.0e6 210.0e9 0.01 20.0 0.925 0.15
# height, width, web, flange; layers of a flange and of the web
proc profile {section h b tw tf nf nw} {
    set top [expr {$h / 2.0}]
    set in [expr {$top - $tf}]
    set edge [expr {$b / 2.0}]
    set web [expr {$tw / 2.0}]
    section Fiber $section {
        patch rect 1 $nf 1 -$top -$edge -$in $edge
        patch rect 1 $nw 1 -$in -$web $in $web
        patch rect 1 $nf 1 $in -$edge $top $edge
    }
}
profile 1 0.300 0.300 0.011 0.019 5 10
profile 2 0.400 0.180 0.0086 0.0135 5 10

geomTransf PDelta 1
geomTransf Linear 2
for {set s 1} {$s <= $storeys} {incr s} {
    for {set a 0} {$a <= $bays} {incr a} {
        element nonlinearBeamColumn [expr {100 + [tag $s $a]}] [tag [expr {$s - 1}] $a] [tag $s $a] 5 1 1 -iter 50 1e-12
        if {$a < $bays} {
            element nonlinearBeamColumn [expr {200 + [tag $s $a]}] [tag $s $a] [tag $s [expr {$a + 1}]] 5 2 2 -iter 50 1e-12
        }
    }
}

timeSeries Linear 1
pattern Plain 1 1 {
    for {set s 1} {$s <= $storeys} {incr s} {
        for {set a 0} {$a <= $bays} {incr a} {
            load [tag $s $a] 0.0 [expr {-$mass * 9.81}] 0.0
        }
    }
}
constraints Plain
numberer RCM
system BandGeneral
test NormDispIncr 1e-11 50
algorithm Newton
integrator LoadControl 0.2
analysis Static
analyze 5
loadConst -time 0.0
wipeAnalysis
