package org.habitline.bench;

import java.nio.charset.StandardCharsets;
import java.util.Map;

/** A POST request with a body. */
record Post(String path, Map<String, String> headers, String contentType, String body) {

  Post {
    headers = Map.copyOf(headers);
  }

  /** Returns the same request with another path. */
  Post at(String otherPath) {
    return new Post(otherPath, headers, contentType, body);
  }

  /** Returns the request as it is sent over HTTP/1.1. */
  byte[] bytes() {
    var all = new StringBuilder();
    all.append("POST ").append(path).append(" HTTP/1.1\r\nHost: localhost\r\n");
    headers.forEach((name, value) -> all.append(name).append(": ").append(value).append("\r\n"));
    all.append("Content-Type: ").append(contentType).append("\r\n");
    all.append("Content-Length: ").append(body.getBytes(StandardCharsets.UTF_8).length);
    all.append("\r\n\r\n").append(body);
    return all.toString().getBytes(StandardCharsets.UTF_8);
  }
}
