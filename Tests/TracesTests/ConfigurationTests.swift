import TestSupport
import Testing

@testable import Traces

@Suite(.unsanitized) struct ConfigurationTests {
    @Test(
        arguments: [
            [:], ["OTEL_EXPORTER_OTLP_ENDPOINT": ""], ["OTEL_SERVICE_NAME": "gallery"],
            ["OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318"],
            ["OTEL_SDK_DISABLED": "true", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318"],
        ]) func `no traces are exported unless configured`(environment: [String: String]) throws
    {
        #expect(try Configuration(environment: environment) == nil)
    }

    @Test(
        arguments: [
            (["OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318"], "http://c:4318/v1/traces"),
            (["OTEL_EXPORTER_OTLP_ENDPOINT": "https://c/otlp/"], "https://c/otlp/v1/traces"),
            (["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://c:4318/in?k=1"], "http://c:4318/in?k=1"),
            (
                ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://t", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://g"],
                "http://t"
            ),
            (["OTEL_TRACES_EXPORTER": "otlp"], "http://localhost:4318/v1/traces"),
        ]) func `the endpoint follows OpenTelemetry's variables`(environment: [String: String], endpoint: String) throws
    {
        let configuration = try #require(try Configuration(environment: environment))
        #expect(configuration.endpoint == endpoint)
    }

    @Test func `every supported variable is read`() throws {
        let told = try #require(
            try Configuration(environment: [
                "OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
                "OTEL_EXPORTER_OTLP_HEADERS": "api-key = a%20secret%3D1 , tenant=7", "OTEL_SERVICE_NAME": "gallery",
                "OTEL_RESOURCE_ATTRIBUTES": "service.name=other,deployment.environment=test",
                "OTEL_TRACES_SAMPLER": "parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG": "0.25",
                "OTEL_EXPORTER_OTLP_TIMEOUT": "3000", "OTEL_BSP_SCHEDULE_DELAY": "200",
                "OTEL_BSP_MAX_QUEUE_SIZE": "100",
            ]))
        #expect(told.headers == ["api-key": "a secret=1", "tenant": "7"])
        #expect(told.resource == ["service.name": "gallery", "deployment.environment": "test"])
        #expect(told.sampling == Sampling(ratio: 0.25, followsParent: true))
        #expect(told.timeout == .seconds(3))
        #expect(told.delay == .milliseconds(200))
        #expect(told.maximumWaiting == 100)
        #expect(told.batch == 100, "a batch is no larger than the queue")
    }

    @Test(
        arguments: [
            ("always_on", 1, false), ("always_off", 0, false), ("traceidratio", 1, false),
            ("parentbased_always_on", 1, true), ("parentbased_always_off", 0, true),
        ]) func `samplers are selected by name`(name: String, ratio: Double, follows: Bool) throws
    {
        let told = try Configuration(environment: ["OTEL_TRACES_EXPORTER": "otlp", "OTEL_TRACES_SAMPLER": name])
        #expect(told?.sampling == Sampling(ratio: ratio, followsParent: follows))
    }

    @Test(
        arguments: [
            ("OTEL_TRACES_EXPORTER", "zipkin"), ("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4317"),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"), ("OTEL_TRACES_SAMPLER", "jaeger_remote"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "no-value"), ("OTEL_EXPORTER_OTLP_HEADERS", "a=%zz"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "a=b%0d%0aHost:x"), ("OTEL_EXPORTER_OTLP_HEADERS", "a=%ff"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "=b"), ("OTEL_EXPORTER_OTLP_HEADERS", "a b=c"),
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "ten"), ("OTEL_BSP_SCHEDULE_DELAY", "0"),
            ("OTEL_BSP_MAX_QUEUE_SIZE", "-1"), ("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "99999999999999999999"),
        ]) func `an invalid variable is named in the error`(variable: String, text: String)
    {
        var environment = ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://c", "OTEL_TRACES_EXPORTER": "otlp"]
        if variable == "OTEL_EXPORTER_OTLP_ENDPOINT" { environment = [:] }
        environment[variable] = text
        let error = #expect(throws: Configuration.Invalid.self) { try Configuration(environment: environment) }
        #expect(error?.variable == variable)
        if variable.hasSuffix("HEADERS") { #expect(error?.description.contains(text) == false, "it may be a secret") }
    }

    @Test(arguments: ["-0.1", "1.1", "nan", "half"]) func `a ratio outside zero to one is rejected`(text: String) {
        #expect(throws: Configuration.Invalid.self) {
            try Configuration(environment: [
                "OTEL_TRACES_EXPORTER": "otlp", "OTEL_TRACES_SAMPLER": "traceidratio", "OTEL_TRACES_SAMPLER_ARG": text,
            ])
        }
    }
}
