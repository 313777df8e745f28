import Testing
import Time

@Suite struct PictureTimeTests {
    @Test(arguments: [
        // Dates as EXIF has them, and as programs write them instead.
        ("2019:06:01 10:20:30", "2019-06-01T10:20:30Z"), ("2019:06:01 10:20:30+0200", "2019-06-01T10:20:30+02:00"),
        ("2019:06:01 10:20:30-05:00", "2019-06-01T10:20:30-05:00"), ("2019:06:01 10:20:30Z", "2019-06-01T10:20:30Z"),
        ("2019:06:01 10:20:30 +02", "2019-06-01T10:20:30+02:00"), ("2019/06/01 10:20:30", "2019-06-01T10:20:30Z"),
        ("2019-06-01 10:20:30", "2019-06-01T10:20:30Z"), ("2019.06.01 10:20:30", "2019-06-01T10:20:30Z"),
        ("2019:06:01T10:20:30", "2019-06-01T10:20:30Z"), ("2019:06:01 10:20", "2019-06-01T10:20:00Z"),
        ("2019:06:01 10:20:30.123", "2019-06-01T10:20:30.123Z"), ("2019:06:01 10:20:30,5", "2019-06-01T10:20:30.5Z"),
        ("2019: 6: 1  1: 2: 3", "2019-06-01T01:02:03Z"), ("2019:6:1 1:2:3", "2019-06-01T01:02:03Z"),
        ("2015:08:22 24:08:19", "2015-08-22T00:08:19Z"), ("2016:12:31 23:59:60", "2017-01-01T00:00:00Z"),
        ("2019:06:01 10:20:30 PM", "2019-06-01T22:20:30Z"), ("2019:06:01 12:20:30 am", "2019-06-01T00:20:30Z"),
        ("2019:06:01 10:20:30 DST", "2019-06-01T10:20:30Z"), ("2019:06:01", "2019-06-01"),
        ("2019:06:01   :  :  ", "2019-06-01"), ("1956:00:00 00:00:00", "1956"), ("1956:07:00", "1956-07"),
        // XMP.
        ("2019-06-01T10:20:30", "2019-06-01T10:20:30Z"), ("2019-06-01T10:20", "2019-06-01T10:20:00Z"),
        ("2019-06-01T10:20-05:00", "2019-06-01T10:20:00-05:00"), ("2019-06-01", "2019-06-01"),
        ("2019-06-01T10:20:30.120Z", "2019-06-01T10:20:30.12Z"), ("2018-01", "2018-01"), ("1956", "1956"),
        ("2019-06-01T10:20:30+99:00", "2019-06-01T10:20:30Z"),
        // No time.
        ("2019-02-29", nil), ("2019-06-01T25:00", nil), ("2019-06-01Tabc", nil), ("", nil), ("   ", nil),
        ("0000:00:00 00:00:00", nil), ("    :  :     :  :  ", nil), ("01:06:2019 10:20:30", nil), ("20190", nil),
        ("2019:13:01 10:20:30", nil), ("2019:06:01 10:60:30", nil), ("2019:06:01 10:20:61", nil), ("2019:", nil),
        ("2019-06T10:20", nil), ("yesterday", nil),
    ])
    func `a time is read as cameras and programs write it`(text: String, time: String?) {
        #expect(PictureTime(text)?.text == time)
    }

    @Test(
        arguments: [
            ("20180130", nil, "2018-01-30"), ("2018-01-30", nil, "2018-01-30"),
            ("2018:01:30", "10:11:12", "2018-01-30T10:11:12Z"),
            ("20180130", "101112+0200", "2018-01-30T10:11:12+02:00"),
            ("20180130", "101112-02:00", "2018-01-30T10:11:12-02:00"),
            ("20180000", nil, "2018"), ("20180130", "1011", "2018-01-30T10:11:00Z"), ("20180130", "noon", "2018-01-30"),
            ("20180130", "996112", "2018-01-30"), ("20181330", nil, nil), ("", nil, nil), ("00000000", nil, nil),
        ] as [(String, String?, String?)])
    func `a time of the press format is read with and without separators`(date: String, time: String?, text: String?) {
        #expect(PictureTime(iptc: Array(date.utf8), time: time.map { Array($0.utf8) })?.text == text)
    }

    @Test func `a zone stated apart applies unless the text has its own`() {
        #expect(PictureTime("2019:06:01 10:20:30", offset: "+02:00")?.text == "2019-06-01T10:20:30+02:00")
        #expect(PictureTime("2019:06:01 10:20:30Z", offset: "+02:00")?.text == "2019-06-01T10:20:30Z")
        #expect(PictureTime("2019:06:01 10:20:30", offset: "   :  ")?.text == "2019-06-01T10:20:30Z")
    }

    @Test func `a time is refined only by a matching time`() throws {
        let time = { (text: String) in PictureTime(text) }
        let local = try #require(time("2019-06-01T10:20"))
        #expect(local.refined(by: time("2019-06-01T10:20:30.5+02:00")).text == "2019-06-01T10:20:30.5+02:00")
        #expect(local.refined(by: time("2019-06-01T10:21:30+02:00")).text == "2019-06-01T10:20:00Z")
        #expect(local.refined(by: time("2019-06-01")).text == "2019-06-01T10:20:00Z")
        #expect(time("2019-06-01")?.refined(by: local).text == "2019-06-01T10:20:00Z")
        #expect(time("2019")?.refined(by: local).text == "2019-06-01T10:20:00Z")
        #expect(time("2019-07")?.refined(by: local).text == "2019-07")
        let zoned = try #require(time("2019-06-01T10:20:30+02:00"))
        #expect(zoned.refined(by: time("2019-06-01T10:20:30")) == zoned)
        #expect(zoned.refined(by: time("2019-06-01T10:20:30.25")).text == "2019-06-01T10:20:30.25+02:00")
        #expect(zoned.refined(by: time("2019-06-01T10:20:30+03:00")) == zoned)
    }

    @Test(
        arguments: [
            ("1956", "1956-01-01T00:00:00Z", .year), ("2018-01", "2018-01-01T00:00:00Z", .month),
            ("2018-01-30", "2018-01-30T00:00:00Z", .day),
            ("2018-01-30T10:11:12+02:00", "2018-01-30T10:11:12+02:00", nil),
            ("2018-01-30T10:11:12.178406Z", "2018-01-30T10:11:12Z", nil),
        ] as [(String, String, PictureTime.Precision?)])
    func `an incomplete date is the first moment of its period`(
        stored: String, text: String, precision: PictureTime.Precision?
    ) {
        #expect(PictureTime.dateTime(stored) == (text, precision))
    }
}
