package org.habitline.ops;

import io.micronaut.context.annotation.Value;
import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpMethod;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.annotation.RequestFilter;
import io.micronaut.http.annotation.ResponseFilter;
import io.micronaut.http.annotation.ServerFilter;
import java.net.URI;
import java.util.Set;
import org.habitline.staff.Reply;

/**
 * Keeps other sites out: a request that changes something and comes with a session cookie must come
 * from our own page (Origin, or Sec-Fetch-Site where a browser sends it). Puts the secure headers
 * on every answer.
 */
@ServerFilter(ServerFilter.MATCH_ALL_PATTERN)
final class Guard {

  private static final Set<HttpMethod> SAFE =
      Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.OPTIONS);

  private final String publicUrl;

  Guard(@Value("${habitline.public-url:}") String publicUrl) {
    this.publicUrl = publicUrl;
  }

  @RequestFilter
  @Nullable
  HttpResponse<?> refuseOtherSites(HttpRequest<?> request) {
    if (SAFE.contains(request.getMethod())
        || request.getHeaders().contains(HttpHeaders.AUTHORIZATION)
        || SessionCookie.value(request).isEmpty()
        || fromOurPage(request)) {
      return null;
    }
    return HttpResponse.status(HttpStatus.FORBIDDEN)
        .body(Reply.error("This request came from another site; use the page of the line itself."));
  }

  private boolean fromOurPage(HttpRequest<?> request) {
    var origin = request.getHeaders().get(HttpHeaders.ORIGIN);
    if (origin != null) {
      return host(origin).equals(request.getHeaders().get(HttpHeaders.HOST))
          || (!publicUrl.isBlank() && host(origin).equals(host(publicUrl)));
    }
    return "same-origin".equals(request.getHeaders().get("Sec-Fetch-Site"));
  }

  private static String host(String url) {
    try {
      var authority = URI.create(url).getRawAuthority();
      return authority == null ? "" : authority;
    } catch (IllegalArgumentException e) {
      return "";
    }
  }

  @ResponseFilter
  void secure(MutableHttpResponse<?> response) {
    response
        .header(
            "Content-Security-Policy",
            "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none';"
                + " form-action 'self'; frame-ancestors 'none'")
        .header("X-Content-Type-Options", "nosniff")
        .header("X-Frame-Options", "DENY")
        .header("Referrer-Policy", "no-referrer");
    if (publicUrl.startsWith("https://")) {
      response.header("Strict-Transport-Security", "max-age=31536000");
    }
  }
}
