import Addresses
import Glibc
import Testing

@testable import Postgres

@Suite struct PostgresAddressTests {
    @Test func `a URL specifies host, port, database, user, password and encryption`() throws {
        let address = try PostgresAddress(
            "postgres://anna:p%40ss%3A@db.example:6400/gallery?sslmode=verify-full&sslrootcert=%2Fetc%2Fca.pem")
        #expect(address.host == "db.example")
        #expect(address.port == 6400)
        #expect(address.user == "anna")
        #expect(address.password == "p@ss:")
        #expect(address.database == "gallery")
        #expect(address.encryption == .verifyHost)
        #expect(address.authorities == "/etc/ca.pem")
    }

    @Test func `omitted parts have defaults`() throws {
        let address = try PostgresAddress("postgresql://[::1]")
        #expect(address.host == "::1")
        #expect(address.port == 5432)
        #expect(address.user == nil && address.password == nil && address.database == nil)
        #expect(address.encryption == nil)
        #expect(try PostgresAddress("postgres://anna@db/x").user == "anna")
    }

    @Test func `a parameter names the folder of a Unix socket`() throws {
        let address = try PostgresAddress("postgres:///gallery?host=/run/postgresql")
        #expect(address.host == "/run/postgresql")
        #expect("\(address)" == "postgres:///gallery?host=/run/postgresql")
        #expect(address.settings(digits: nil).contains { $0.key == "hostaddr" && $0.value != "" } == false)
    }

    @Test(
        .enabled(if: getenv("PGSSLMODE") == nil),
        arguments: [
            ("postgres://db.example/x", "require"), ("postgres://10.0.0.2/x", "require"),
            ("postgres://127.0.0.1/x", "prefer"),
            ("postgres://[::1]/x", "prefer"), ("postgres://localhost/x", "prefer"),
            ("postgres:///x?host=/run", "prefer"),
            ("postgres://10.0.0.2/x?sslmode=disable", "disable"),
        ]) func `a remote connection is encrypted unless the URL disables it`(text: String, mode: String) throws
    {
        let settings = try PostgresAddress(text).settings(digits: "10.0.0.2")
        #expect(settings.filter { $0.key == "sslmode" }.map(\.value) == [mode])
    }

    @Test func `a password is redacted, however the server repeats it`() {
        for text in ["no hunter2 here", "hun\u{1}ter2", "hun\u{7f}ter2\nhunter2"] {
            let message = ServerMessage.redacted(text, password: "hunter2")
            #expect(!message.contains("hunter2") && message.contains("…"))
        }
    }

    @Test func `neither the description nor the error contains the password`() throws {
        let address = try PostgresAddress("postgres://anna:hunter2@db:6400/gallery")
        #expect("\(address)" == "postgres://db:6400/gallery")
        for text in [
            "postgres://anna:hunter2@db:none", "mysql://anna:hunter2@db", "hunter2", "postgres://a:hunter2@",
            "postgres://a:hunter2@db/x?sslmode=hunter2", "postgres://a@db/x?password=hunter2",
        ] {
            let error = #expect(throws: PostgresAddress.Invalid.self) { try PostgresAddress(text) }
            #expect(error?.description.contains("hunter2") == false)
        }
    }

    @Test(arguments: [
        "", "postgres:", "postgres://", "http://127.0.0.1", "postgres://host:0", "postgres://host:65536",
        "postgres://host/a/b", "postgres://a:%zz@host", "postgres://a:%00@host", "postgres://ho st",
        "postgres://host?db=1", "postgres://host?sslmode=yes", "postgres://host?sslmode=prefer&sslmode=prefer",
        "postgres://host?host=/run", "postgres:///x?host=run", "postgres://[::1",
    ]) func `an invalid URL is rejected`(text: String) {
        #expect(throws: PostgresAddress.Invalid.self) { try PostgresAddress(text) }
    }
}
