use super::*;

#[test]
fn what_is_written_is_read_again() {
    let mut summary = Summary::of("example".to_owned(), 1);
    summary.tracking = Some(Tracking {
        nrmse_percent: vec![Some(1.5), None],
        words: vec!["lags".to_owned()],
        ..Tracking::default()
    });
    summary.indicators.stability_warning = Some(StabilityWarning {
        max_percent: f64::INFINITY,
        final_percent: 12.5,
        first_over_100_s: Some(0.25),
        last_over_100_s: None,
    });
    let extremes = Extremes {
        max: 2.0,
        last: -1.0,
    };
    let name = "phase_error".to_owned();
    summary.indicators.others.insert(name, extremes);
    summary.criteria = Some([(2, vec![1.0, 2.0]), (10, vec![3.0])].into_iter().collect());
    let written = summary.to_json();
    assert!(written.contains(r#""max_percent":"infinite""#), "{written}");
    assert!(written.contains(r#""criteria":{"J2":[1.0,2.0],"J10":[3.0]}"#));
    assert_eq!(serde_json::from_str::<Summary>(&written).unwrap(), summary);
}

#[test]
fn a_number_that_is_none_is_null_and_comes_back_as_none() {
    let mut summary = Summary::of("example".to_owned(), 1);
    let response = Response {
        peak: f64::NAN,
        rms: f64::INFINITY,
        last: 0.5,
        unit: "m".to_owned(),
        dof: None,
    };
    summary
        .response
        .insert("displacement/1".to_owned(), response);
    let read: Summary = serde_json::from_str(&summary.to_json()).unwrap();
    let response = &read.response["displacement/1"];
    assert!(response.peak.is_nan() && response.rms.is_nan());
    assert!((response.last - 0.5).abs() < f64::EPSILON);
}

#[test]
fn another_format_is_refused_by_name() {
    let other = Summary::of("example".to_owned(), 1)
        .to_json()
        .replace(r#""format":1"#, r#""format":7"#);
    let refused = serde_json::from_str::<Summary>(&other)
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("format 7") && refused.contains("reads format 1"),
        "{refused}"
    );
}

#[test]
fn a_file_that_is_no_summary_is_refused_with_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("summary.json");
    assert!(matches!(
        Summary::read(&path),
        Err(SummaryError::File { .. })
    ));
    std::fs::write(&path, r#"{ "format": 1, "name": 3 }"#).unwrap();
    let refused = Summary::read(&path).unwrap_err().to_string();
    assert!(
        refused.contains("summary.json") && refused.contains("line 1"),
        "{refused}"
    );
}
