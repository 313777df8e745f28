import Origins
import Testing

@Suite struct ConfigurationTests {
    @Test func `the defaults are valid`() throws {
        try Configuration().validate()
    }

    @Test func `an invalid setting is named in the error`() {
        let broken: [(String, (inout Configuration) -> Void)] = [
            ("places", { $0.permits = 0 }),
            ("placesPerOrigin", { $0.permitsPerOrigin = -1 }),
            ("connectTimeout", { $0.connectTimeout = .zero }),
            ("retryDelay", { $0.retryDelay = .seconds(-1) }),
            ("maximumBytes", { $0.maximumBytes = 0 }),
            ("requestsPerSecondPerOrigin", { $0.requestsPerSecondPerOrigin = .nan }),
            ("allowedAddresses", { $0.allowedAddresses = ["127.0.0.0/8", "home"] }),
            ("userAgent", { $0.userAgent = "a\r\nb: c" }),
        ]
        for (field, breakIt) in broken {
            var configuration = Configuration()
            breakIt(&configuration)
            #expect { try configuration.validate() } throws: { ($0 as? Configuration.Invalid)?.field == field }
        }
    }
}
