import Testing

@testable import Origins

@Suite struct CredentialsTests {
    @Test func `the shared credentials file is read by section`() {
        let file = CredentialsFile(
            """
            aws_access_key_id = nobody's
            [default]
            # aws_access_key_id = commented
            aws_access_key_id=KEY
            AWS_SECRET_ACCESS_KEY = a/b+c=

            [ other ]\r
            aws_access_key_id = OTHER\r
            aws_secret_access_key = secret\r
            aws_session_token = token==
            [half]
            aws_access_key_id = HALF
            """)
        #expect(
            file.credentials(of: "default") == Credentials(accessKey: "KEY", secretKey: "a/b+c=", sessionToken: nil))
        #expect(
            file.credentials(of: "other")
                == Credentials(accessKey: "OTHER", secretKey: "secret", sessionToken: "token=="))
        #expect(file.credentials(of: "half") == nil && file.credentials(of: "none") == nil)
    }

    @Test func `role credentials are parsed with their expiry`() {
        let text =
            #"{"Code":"Success","AccessKeyId":"K","SecretAccessKey":"S","Token":"T","Expiration":"2024-05-01T10:00:00Z"}"#
        let credentials = RoleCredentials.credentials(in: Array(text.utf8))
        #expect(
            credentials == Credentials(accessKey: "K", secretKey: "S", sessionToken: "T", expires: 1_714_557_600))
        for broken in ["", "{}", "<html>", #"{"AccessKeyId":"K\r\nX: y","SecretAccessKey":"S"}"#] {
            #expect(RoleCredentials.credentials(in: Array(broken.utf8)) == nil)
        }
    }

    @Test func `secrets are never printed`() throws {
        let settings = CredentialSettings(environment: [
            "AWS_ACCESS_KEY_ID": "KEY", "AWS_SECRET_ACCESS_KEY": "hush-hush", "AWS_SESSION_TOKEN": "hush-token",
            "AWS_CONTAINER_AUTHORIZATION_TOKEN": "hush-container",
        ])
        var configuration = Configuration()
        configuration.objectStore = ObjectStore(endpoint: "http://a.test", region: "r", credentials: settings)
        var dumped = ""
        dump(configuration, to: &dumped)
        let credentials = try #require(settings.given)
        for text in [dumped, "\(configuration)", "\(settings)", String(reflecting: credentials), "\([credentials])"] {
            #expect(!text.contains("hush"))
        }
    }

    @Test func `the environment selects the credential sources`() {
        let none = CredentialSettings(environment: ["HOME": "/home/a"])
        #expect(none.given == nil && none.file == "/home/a/.aws/credentials" && !none.isFileNamed)
        #expect(none.metadataURL == "http://169.254.169.254" && none.containerURL == nil)
        let some = CredentialSettings(environment: [
            "AWS_PROFILE": "x", "AWS_EC2_METADATA_DISABLED": "TRUE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "/c",
        ])
        #expect(some.isFileNamed && some.metadataURL == nil && some.containerURL == "http://169.254.170.2/c")
    }
}
