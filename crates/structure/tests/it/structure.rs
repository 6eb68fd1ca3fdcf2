//! Structures from floors and matrices, their partition, reduction and text files.

use proptest::prelude::*;
use tandem_quantity::{Snapshot, StateReader};
use tandem_structure::matrices::{MatrixFileError, from_rows, parse_csv};
use tandem_structure::modes::modes;
use tandem_structure::reduction::{condense, condense_structure, craig_bampton};
use tandem_structure::{
    Damping, GroundTerm, Linear, LinearAttachment, Matrix, Structure, StructureError, WithSpecimen,
    shear_building, subtract,
};
use tandem_test_support::close;

fn three_floors() -> Linear {
    shear_building(
        &[50e3, 50e3, 40e3],
        &[40e6, 35e6, 30e6],
        &Damping::Rayleigh {
            mass: 0.1,
            stiffness: 0.002,
        },
    )
    .unwrap()
}

#[test]
fn a_shear_building_has_its_textbook_matrices() {
    let mut building = three_floors();
    let k = [[75e6, -35e6, 0.0], [-35e6, 65e6, -30e6], [0.0, -30e6, 30e6]];
    for (i, row) in k.iter().enumerate() {
        for (j, k) in row.iter().enumerate() {
            close(building.properties().stiffness.get(i, j), *k, 0.0);
            close(
                building.properties().damping.get(i, j),
                0.1 * building.properties().mass.get(i, j) + 0.002 * k,
                1e-15,
            );
        }
    }
    let mut force = [0.0; 3];
    building.restoring_force(&[0.01, 0.03, 0.06], &[0.0; 3], &mut force);
    for (f, expected) in force.iter().zip([0.4e6 - 0.7e6, 0.7e6 - 0.9e6, 0.9e6]) {
        close(*f, expected, 1e-12);
    }
    assert!(building.properties().is_linear);
    assert_eq!(
        (building.properties().label(1), building.properties().kind),
        ("floor 2", "shear building")
    );
    assert_eq!(building.properties().influence, [1.0; 3]);
    let mut words = Vec::new();
    building.save(&mut words);
    building.restore(&mut StateReader::new(&words)).unwrap();
    let refused = shear_building(&[1.0, -1.0], &[1.0, 1.0], &Damping::None).map(|_| ());
    assert_eq!(
        refused,
        Err(StructureError::Value {
            what: "mass of floor",
            index: 1,
            value: -1.0
        })
    );
    assert!(shear_building(&[1.0], &[1.0, 1.0], &Damping::None).is_err());
}

#[test]
fn a_partition_and_its_specimen_make_the_whole_again() {
    let (m, c, k) = (
        Matrix::diagonal(&[29.13]),
        Matrix::diagonal(&[114.22]),
        Matrix::diagonal(&[1.19e6]),
    );
    let whole = three_floors();
    let part = subtract(whole.clone(), &[0], &m, &c, &k).unwrap();
    close(part.properties().mass.get(0, 0), 50e3 - 29.13, 1e-15);
    close(
        part.properties().damping.get(0, 0),
        whole.properties().damping.get(0, 0) - 114.22,
        1e-15,
    );
    close(part.properties().stiffness.get(0, 0), 75e6 - 1.19e6, 1e-15);
    close(part.properties().stiffness.get(2, 1), -30e6, 0.0);
    assert_eq!(part.properties().ground_mass(), &whole.properties().mass);
    assert!(part.properties().is_linear);

    let specimen = LinearAttachment::new(&m, &c, k).unwrap();
    let mut again = WithSpecimen::new(part, specimen, &[0], GroundTerm::Base).unwrap();
    for (a, b) in [
        (&again.properties().mass, &whole.properties().mass),
        (&again.properties().damping, &whole.properties().damping),
        (&again.properties().stiffness, &whole.properties().stiffness),
        (again.properties().ground_mass(), &whole.properties().mass),
    ] {
        for (a, b) in a.to_dense().iter().zip(b.to_dense()) {
            close(*a, b, 1e-15);
        }
    }
    let (mut force, mut expected) = ([0.0; 3], [0.0; 3]);
    again.restoring_force(&[0.01, -0.02, 0.03], &[0.0; 3], &mut force);
    whole
        .properties()
        .stiffness
        .mul_into(&[0.01, -0.02, 0.03], &mut expected);
    for (f, e) in force.iter().zip(expected) {
        close(*f, e, 1e-14);
    }
}

#[test]
fn a_specimen_may_couple_floors_that_the_base_does_not() {
    let spring = Matrix::from_rows(&[vec![7.0, -7.0], vec![-7.0, 7.0]]).unwrap();
    let masses = Matrix::diagonal(&[3.0, 4.0]);
    let specimen = LinearAttachment::new(&masses, &Matrix::zeros(2), spring).unwrap();
    let base = shear_building(&[1.0; 40], &[1.0; 40], &Damping::None).unwrap();
    let whole =
        WithSpecimen::new(base.clone(), specimen.clone(), &[39, 2], GroundTerm::Whole).unwrap();
    close(whole.properties().stiffness.get(39, 2), -7.0, 0.0);
    close(whole.properties().stiffness.get(2, 39), -7.0, 0.0);
    close(whole.properties().stiffness.get(2, 2), 9.0, 0.0);
    close(whole.properties().mass.get(39, 39), 4.0, 0.0);
    close(whole.properties().ground_mass().get(2, 2), 5.0, 0.0);
    assert!(
        WithSpecimen::new(base.clone(), specimen.clone(), &[39, 39], GroundTerm::Base).is_err()
    );
    assert!(WithSpecimen::new(base.clone(), specimen.clone(), &[40, 1], GroundTerm::Base).is_err());
    assert!(WithSpecimen::new(base, specimen, &[1], GroundTerm::Base).is_err());
}

#[test]
fn condensing_massless_degrees_of_freedom_is_exact() {
    // Two springs in series.
    let mass = Matrix::diagonal(&[0.0, 3.0]);
    let stiffness = Matrix::from_rows(&[vec![30.0, -20.0], vec![-20.0, 20.0]]).unwrap();
    let condensed = condense(&mass, &Matrix::zeros(2), &stiffness, &[0]).unwrap();
    close(condensed.stiffness.get(0, 0), 10.0 * 20.0 / 30.0, 1e-14);
    close(condensed.mass.get(0, 0), 3.0, 1e-15);
    let all = condensed.expand(&[0.3]);
    close(all[0], 0.2, 1e-14);
    close(all[1], 0.3, 0.0);
    // A massless dof that nothing holds is named in the structure's own numbering.
    let loose = Matrix::from_rows(&[
        vec![5.0, 0.0, 0.0],
        vec![0.0, 4.0, 0.0],
        vec![0.0, 0.0, 0.0],
    ])
    .unwrap();
    let error = condense(
        &Matrix::diagonal(&[1.0, 0.0, 0.0]),
        &Matrix::zeros(3),
        &loose,
        &[1, 2],
    )
    .unwrap_err();
    assert_eq!(
        error.to_string(),
        "stiffness: the matrix is singular at row 2"
    );
}

#[test]
fn condensing_a_building_keeps_its_base_shear_and_bounds_its_frequency() {
    let building = shear_building(
        &[1e3; 8],
        &[1e6; 8],
        &Damping::Rayleigh {
            mass: 0.1,
            stiffness: 0.0,
        },
    )
    .unwrap();
    let reduced = condense_structure(building.properties(), &[0, 1, 3, 5, 6]).unwrap();
    assert_eq!(
        (reduced.properties().dof(), reduced.properties().label(0)),
        (3, "floor 3")
    );
    let (full, few) = (
        modes(building.properties(), 1).unwrap(),
        modes(reduced.properties(), 1).unwrap(),
    );
    // Rayleigh's principle: a constrained structure is stiffer; here by less than one per cent.
    assert!(
        few.frequencies_hz[0] >= full.frequencies_hz[0]
            && few.frequencies_hz[0] < 1.01 * full.frequencies_hz[0]
    );
    // The generalised ground force on the top floor: sum of masses times their static share.
    let mut force = vec![0.0; 3];
    reduced
        .properties()
        .ground_mass()
        .mul_into(&reduced.properties().influence, &mut force);
    // Floors 5 (kept) to 8 (kept): floors 6, 7 follow the top by 1/3 and 2/3.
    close(force[2], 1e3 * (1.0 + 1.0 / 3.0 + 2.0 / 3.0), 1e-10);
}

#[test]
fn craig_bampton_with_all_modes_is_the_structure_itself() {
    let building = shear_building(&[1e3; 12], &[1e6; 12], &Damping::None).unwrap();
    let reduced = craig_bampton(building.properties(), &[11, 4], 5.0, Some(10)).unwrap();
    assert_eq!(
        (reduced.modes, reduced.structure.properties().dof()),
        (10, 12)
    );
    assert!(reduced.truncated_hz.is_infinite() && reduced.error_estimate.abs() < 1e-12);
    let (full, few) = (
        modes(building.properties(), 12).unwrap(),
        modes(reduced.structure.properties(), 12).unwrap(),
    );
    for k in 0..12 {
        close(few.frequencies_hz[k], full.frequencies_hz[k], 1e-10);
        close(
            few.effective_mass[k].max(1e-6),
            full.effective_mass[k].max(1e-6),
            1e-6,
        );
    }
    let rigid = reduced.expand(&reduced.structure.properties().influence);
    for value in rigid {
        close(value, 1.0, 1e-10);
    }
}

#[test]
fn craig_bampton_states_an_error_that_holds() {
    // Apparent mass at the interface, −D(ω)/ω² with D the condensed dynamic stiffness, full against
    // reduced.
    let n = 40;
    let building = shear_building(&vec![1e3; n], &vec![4e6; n], &Damping::None).unwrap();
    let interface = n - 1;
    let dynamic = |structure: &dyn Structure, dof: usize, hz: f64| {
        let w2 = (std::f64::consts::TAU * hz).powi(2);
        let stiffness = Matrix::combine(&[
            (1.0, &structure.properties().stiffness),
            (-w2, &structure.properties().mass),
        ]);
        let others: Vec<usize> = (0..structure.properties().dof())
            .filter(|i| *i != dof)
            .collect();
        let zero = Matrix::zeros(structure.properties().dof());
        let d = condense(&zero, &zero, &stiffness, &others)
            .unwrap()
            .stiffness
            .get(0, 0);
        let zero_frequency = condense(&zero, &zero, &structure.properties().stiffness, &others)
            .unwrap()
            .stiffness
            .get(0, 0);
        (zero_frequency - d) / w2
    };
    for (band, kept) in [(2.0, None), (2.0, Some(3)), (4.0, Some(6))] {
        let reduced = craig_bampton(building.properties(), &[interface], band, kept).unwrap();
        assert!(reduced.structure.properties().dof() < n / 2);
        let difference = dynamic(&building, interface, band) - dynamic(&reduced.structure, 0, band);
        let relative = difference.abs() / reduced.structure.properties().mass.get(0, 0);
        assert!(
            relative <= reduced.error_estimate,
            "{relative} above {}",
            reduced.error_estimate
        );
        assert!(
            relative >= 0.01 * reduced.error_estimate,
            "{relative} far below {}",
            reduced.error_estimate
        );
    }
    assert!(
        craig_bampton(building.properties(), &[interface], 1e3, Some(2))
            .unwrap()
            .error_estimate
            .is_infinite()
    );
    assert!(craig_bampton(building.properties(), &[n], 1.0, None).is_err());
    assert!(craig_bampton(building.properties(), &[1, 1], 1.0, None).is_err());
    assert!(craig_bampton(building.properties(), &[1], 0.0, None).is_err());
}

#[test]
fn text_of_numbers_is_read_with_its_usual_separators() {
    let expected = vec![vec![1.0, -2.5], vec![3e3, 4.0]];
    for text in [
        "1,-2.5\n3e3,4\n",
        "# mass\n1 -2.5\r\n\r\n% next\n3e3\t4",
        "1; -2.5 # first\n3.0D3 ;4",
        "\u{feff} 1 , -2.5\n 3000 , 4.0 % kN",
    ] {
        assert_eq!(parse_csv(text).unwrap(), expected, "{text}");
    }
    assert_eq!(
        parse_csv("1,2\n# x\n3\n"),
        Err(MatrixFileError::Ragged {
            line: 3,
            expected: 2,
            got: 1
        })
    );
    assert_eq!(
        parse_csv("1,2\n3,x\n"),
        Err(MatrixFileError::NotANumber { line: 2, column: 2 })
    );
    assert_eq!(
        parse_csv("1,,2\n"),
        Err(MatrixFileError::NotANumber { line: 1, column: 2 })
    );
    assert_eq!(
        parse_csv("1 inf"),
        Err(MatrixFileError::NotFinite { line: 1, column: 2 })
    );
    assert_eq!(
        parse_csv("1,5;2,5"),
        Err(MatrixFileError::MixedSeparators { line: 1 })
    );
    assert_eq!(parse_csv("# nothing\n"), Err(MatrixFileError::Empty));
}

#[test]
fn matrices_from_rows_are_checked() {
    let unit = vec![vec![1.0, 0.0], vec![0.0, 1.0]];
    assert!(from_rows(&unit, &unit, &Damping::None).is_ok());
    assert!(from_rows(&unit, &unit[..1], &Damping::None).is_err());
    let skew = vec![vec![1.0, 0.5], vec![0.0, 1.0]];
    let refused = from_rows(&skew, &unit, &Damping::None).map(|_| ());
    assert_eq!(refused, Err(StructureError::NotSymmetric { what: "mass" }));
    let building = three_floors();
    assert!(building.clone().with_influence(vec![1.0]).is_err());
    assert!(building.with_ground_mass(Matrix::zeros(2)).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// A good file with some characters changed is read or refused, and what is read is a rectangle
    /// of finite numbers.
    #[test]
    fn mutated_files_never_break_the_reader(
        changes in prop::collection::vec((0_usize..60, any::<char>()), 0..8)) {
        let mut text: Vec<char> = "# K\n26054883.9,-23133938.9,5937035.5\n-2.3e7;1 2\t3 % x\n\
            1,2,3\n".chars().collect();
        for (place, with) in changes {
            let place = place % text.len();
            text[place] = with;
        }
        let text: String = text.into_iter().collect();
        if let Ok(rows) = parse_csv(&text) {
            prop_assert!(rows.iter().all(
                |row| row.len() == rows[0].len() && row.iter().all(|v| v.is_finite())));
            let _ = Matrix::from_rows(&rows);
        }
    }

    /// Any bytes at all.
    #[test]
    fn any_text_is_read_or_refused(text in "\\PC*") {
        let _ = parse_csv(&text);
    }
}
