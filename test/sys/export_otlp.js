// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// export_otlp.js NODE_MODULES - a request of OTLP on the standard input, read by
// OpenTelemetry's own code for it, which is made of the protocol's files; as
// JSON, with "whole": is every byte one that the protocol knows?
const root = require(process.argv[2] +
    "/@opentelemetry/otlp-proto-exporter-base/build/src/generated/root.js");
const Request = root.opentelemetry.proto.collector.metrics.v1
    .ExportMetricsServiceRequest;
const bytes = require("fs").readFileSync(0);
const request = Request.decode(bytes);
console.log(JSON.stringify({
    whole: Request.encode(request).finish().length === bytes.length,
    request: Request.toObject(request, { longs: String, enums: String }),
}));
