import Testing

@testable import Catalog

@Suite struct BucketRefusalTests {
    private func refusal(_ status: Int, _ code: String, _ more: String = "", region: String? = nil) throws
        -> BucketRefusal
    {
        let body = code.isEmpty ? "" : "<Error><Code>\(code)</Code>\(more)</Error>"
        return BucketRefusal(
            status: status, body: Array(body.utf8), region: region, of: try BucketAddress("s3://photos"))
    }

    @Test(arguments: [
        (404, "NoSuchBucket", "no such bucket"), (403, "InvalidAccessKeyId", "AWS_ACCESS_KEY_ID"),
        (403, "SignatureDoesNotMatch", "AWS_SECRET_ACCESS_KEY"), (403, "AccessDenied", "s3:ListBucket"),
        (403, "RequestTimeTooSkewed", "clock"), (400, "ExpiredToken", "AWS_SESSION_TOKEN"), (404, "", "no such bucket"),
        (418, "Teapot", "418 (Teapot)"),
    ])
    func `each refusal says what to do`(_ status: Int, _ code: String, _ word: String) throws {
        #expect(try refusal(status, code).reason.contains(word))
    }

    @Test func `a bucket in another region is reported with that region, wherever the response names it`() throws {
        let told = [
            try refusal(301, "PermanentRedirect", region: "eu-north-1"), try refusal(301, "", region: "eu-north-1"),
            try refusal(400, "AuthorizationHeaderMalformed", "<Region>eu-north-1</Region>"),
        ]
        for refusal in told { #expect(refusal.reason.contains("--region eu-north-1")) }
        #expect(try refusal(301, "PermanentRedirect", "<Endpoint>b.s3.test</Endpoint>").reason.contains("b.s3.test"))
    }

    @Test func `temporary errors are distinguished from permanent ones`() throws {
        for (status, code) in [(503, "SlowDown"), (500, ""), (429, ""), (400, "ExpiredToken")] {
            #expect(try refusal(status, code).isPassing)
        }
        for (status, code) in [(403, "AccessDenied"), (404, "NoSuchBucket"), (301, "")] {
            #expect(try !refusal(status, code).isPassing)
        }
    }

    @Test func `untrusted text from the response is not repeated`() throws {
        let essay = "call 555 &lt;b&gt; now"
        #expect(try !refusal(400, essay, "<Region>\(essay)</Region>", region: essay).reason.contains("555"))
        #expect(try refusal(301, "PermanentRedirect", "<Endpoint>\(essay)</Endpoint>").reason.contains("555") == false)
    }
}
