import Addresses
import Testing

@testable import Redis

@Suite struct RedisAddressTests {
    @Test func `a URL specifies host, port, database, user and password`() throws {
        let address = try RedisAddress("redis://anna:p%40ss%3A@cache.example:6400/3")
        #expect(address.host == "cache.example")
        #expect(address.port == 6400)
        #expect(address.user == "anna")
        #expect(address.password == "p@ss:")
        #expect(address.database == 3)
    }

    @Test func `omitted parts have defaults`() throws {
        let address = try RedisAddress("redis://127.0.0.1")
        #expect(address.port == 6379)
        #expect(address.user == nil)
        #expect(address.password == nil)
        #expect(address.database == 0)
        #expect(try RedisAddress("redis://:secret@[::1]:7/").password == "secret")
        #expect(try RedisAddress("redis://[::1]:7").host == "::1")
        #expect(try RedisAddress("redis://:a,b@host").password == "a,b")
    }

    @Test func `neither the description nor the error contains the password`() throws {
        let address = try RedisAddress("redis://anna:hunter2@cache:6400/3")
        #expect("\(address)" == "redis://cache:6400/3")
        for text in ["redis://anna:hunter2@cache:none", "rediss://anna:hunter2@cache", "hunter2", "redis://a:hunter2@"]
        {
            let error = #expect(throws: RedisAddress.Invalid.self) { try RedisAddress(text) }
            #expect(error?.description.contains("hunter2") == false)
        }
    }

    @Test(arguments: [
        "", "redis:", "redis://", "http://127.0.0.1", "redis://host:0", "redis://host:65536", "redis://host:1x",
        "redis://host/x", "redis://host/-1", "redis://user@host", "redis://a:%zz@host", "redis://a:%00@host",
        "redis://ho st", "redis://host?db=1", "rediss://host", "redis://[::1",
        "redis://one:6379,two:6379", "redis://one,two",
    ]) func `an invalid URL is rejected`(text: String) {
        #expect(throws: RedisAddress.Invalid.self) { try RedisAddress(text) }
    }
}
