import Addresses
import TLS
import Testing

@testable import Redis

@Suite struct RedisAddressTests {
    private func host(_ name: String, _ port: UInt16) -> RedisAddress.Host { .init(name: name, port: port) }

    @Test func `a URL specifies host, port, database, user and password`() throws {
        let address = try RedisAddress("redis://anna:p%40ss%3A@cache.example:6400/3")
        #expect(address.endpoint == .servers([host("cache.example", 6400)]))
        #expect(address.user == "anna")
        #expect(address.password == "p@ss:")
        #expect(address.database == 3)
    }

    @Test func `omitted parts have defaults`() throws {
        let address = try RedisAddress("redis://127.0.0.1")
        #expect(address.endpoint == .servers([host("127.0.0.1", 6379)]))
        #expect(address.tls == nil)
        #expect(address.user == nil)
        #expect(address.password == nil)
        #expect(address.database == 0)
        #expect(try RedisAddress("redis://:secret@[::1]:7/").password == "secret")
        #expect(try RedisAddress("redis://[::1]:7").endpoint == .servers([host("::1", 7)]))
        #expect(try RedisAddress("redis://:a,b@host").password == "a,b")
    }

    @Test func `several servers are separated by commas`() throws {
        let address = try RedisAddress("redis://:p,w@one,two:6400,[::1]:7/3")
        #expect(address.endpoint == .servers([host("one", 6379), host("two", 6400), host("::1", 7)]))
        #expect(address.password == "p,w" && address.database == 3)
        #expect("\(address)" == "redis://one:6379,two:6400,[::1]:7/3")
    }

    @Test func `rediss means TLS, with the files that the parameters name`() throws {
        let plain = try RedisAddress("rediss://cache.example")
        #expect(plain.endpoint == .servers([host("cache.example", 6379)]))
        #expect(plain.tls == TLSSettings())
        #expect(plain.tls?.verifiesServer == true)
        let tls = try RedisAddress("rediss://a:hunter2@one,two/1?ca=/etc/a%20b.pem&cert=/c.pem&key=/k.pem").tls
        #expect(tls?.authorities == "/etc/a b.pem" && tls?.certificate == "/c.pem" && tls?.key == "/k.pem")
        #expect(try RedisAddress("rediss://host?verify=no").tls?.verifiesServer == false)
        #expect("\(try RedisAddress("rediss://a:hunter2@one?ca=/a.pem"))" == "rediss://one:6379")
    }

    @Test func `Sentinels are named with the master that they watch`() throws {
        let address = try RedisAddress("redis-sentinel://:pw@one,two:7/2?master=gallery")
        #expect(address.endpoint == .sentinels([host("one", 26379), host("two", 7)], master: "gallery"))
        #expect("\(address)" == "redis-sentinel://one:26379,two:7/2?master=gallery")
        let encrypted = try RedisAddress("rediss-sentinel://one?master=m&ca=/a.pem")
        #expect(encrypted.tls?.authorities == "/a.pem")
        #expect("\(encrypted)" == "rediss-sentinel://one:26379?master=m")
    }

    @Test func `a Unix socket is given by its path`() throws {
        let address = try RedisAddress("unix://anna:pw@/run/redis%20a/redis.sock?db=4")
        #expect(address.endpoint == .socket("/run/redis a/redis.sock"))
        #expect(address.user == "anna" && address.password == "pw" && address.database == 4)
        #expect("\(address)" == "unix:///run/redis a/redis.sock?db=4")
    }

    @Test func `neither the description nor the error contains the password`() throws {
        let address = try RedisAddress("redis://anna:hunter2@cache:6400/3")
        #expect("\(address)" == "redis://cache:6400/3")
        for text in [
            "redis://anna:hunter2@cache:none", "rediss://anna:hunter2@cache?ca", "hunter2", "redis://a:hunter2@",
        ] {
            let error = #expect(throws: RedisAddress.Invalid.self) { try RedisAddress(text) }
            #expect(error?.description.contains("hunter2") == false)
        }
    }

    @Test(arguments: [
        "", "redis:", "redis://", "http://127.0.0.1", "redis://host:0", "redis://host:65536", "redis://host:1x",
        "redis://host/x", "redis://host/-1", "redis://user@host", "redis://a:%zz@host", "redis://a:%00@host",
        "redis://ho st", "redis://host?db=1", "redis://[::1", "redis://one,", "redis://,two", "redis://one,,two",
        "redis://host?ca=/a", "rediss://host?key=/k", "rediss://host?verify=maybe", "rediss://host?ca=/a&ca=/b",
        "rediss://host?ca=/a&verify=no", "redis-sentinel://host", "redis-sentinel://host?master=",
        "redis-sentinel://?master=m", "unix://", "unix:///", "unix://host/path", "unix:///a?db=x", "unix:///a%zz",
        "unix:///" + String(repeating: "a", count: 107),
    ]) func `an invalid URL is rejected`(text: String) {
        #expect(throws: RedisAddress.Invalid.self) { try RedisAddress(text) }
    }
}
