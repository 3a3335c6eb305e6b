package org.habitline.ops.access;

import io.micronaut.context.annotation.Value;
import io.micronaut.core.annotation.Nullable;
import io.micronaut.core.annotation.Order;
import io.micronaut.core.order.Ordered;
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
import org.habitline.staff.web.Reply;

/**
 * Refuses cross-site requests: a request that changes something and comes from a browser must come
 * from our own pages, as shown by Origin or Sec-Fetch-Site; a request with a session cookie must
 * have one of these headers. Requests with a key are exempt, because no other site knows it, but
 * for those of the Model Context Protocol, which requires the check. Also sets the security headers
 * on every response, including other filters' refusals.
 */
@ServerFilter(ServerFilter.MATCH_ALL_PATTERN)
@Order(Ordered.HIGHEST_PRECEDENCE)
final class CsrfFilter {

  private static final Set<HttpMethod> SAFE =
      Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.OPTIONS);

  /** Values of Sec-Fetch-Site for requests by our own pages or started by the user. */
  private static final Set<String> OURS = Set.of("same-origin", "none");

  private static final String ASSETS = "/assets/";

  private final String publicUrl;
  private final SessionCookie cookie;

  CsrfFilter(@Value("${habitline.public-url:}") String publicUrl, SessionCookie cookie) {
    this.publicUrl = publicUrl;
    this.cookie = cookie;
  }

  @RequestFilter
  @Nullable
  HttpResponse<?> refuseOtherSites(HttpRequest<?> request) {
    if (SAFE.contains(request.getMethod())
        || (showsKey(request) && !ChatTokens.isForTools(request))
        || fromOurPage(request)) {
      return null;
    }
    MutableHttpResponse<?> refusal =
        HttpResponse.status(HttpStatus.FORBIDDEN)
            .body(
                Reply.error(
                    "This request came from another site; use the pages of the service itself."));
    // A response made by this filter does not pass its own response filter.
    secure(request, refusal);
    return refusal;
  }

  private static boolean showsKey(HttpRequest<?> request) {
    return request
        .getHeaders()
        .getAuthorization()
        .filter(it -> it.startsWith("Bearer "))
        .isPresent();
  }

  private boolean fromOurPage(HttpRequest<?> request) {
    var site = request.getHeaders().get("Sec-Fetch-Site");
    if (site != null) {
      return OURS.contains(site);
    }
    var origin = request.getHeaders().get(HttpHeaders.ORIGIN);
    return origin == null ? cookie.value(request).isEmpty() : sameHost(origin, request);
  }

  private boolean sameHost(String origin, HttpRequest<?> request) {
    var host = host(origin);
    return !host.isEmpty()
        && (host.equals(request.getHeaders().get(HttpHeaders.HOST))
            || (!publicUrl.isBlank() && host.equals(host(publicUrl))));
  }

  private static String host(String url) {
    try {
      var authority = URI.create(url).getRawAuthority();
      return authority == null ? "" : authority;
    } catch (IllegalArgumentException e) {
      return "";
    }
  }

  /**
   * Sets the security headers. The Referrer-Policy is same-origin because under no-referrer
   * browsers send "null" as the Origin of our own forms. Everything except fixed assets may show
   * participants' data, so it is not cached.
   */
  @ResponseFilter
  void secure(HttpRequest<?> request, MutableHttpResponse<?> response) {
    response
        .header(
            "Content-Security-Policy",
            "default-src 'self'; style-src 'self'; img-src 'self' data:; object-src 'none';"
                + " base-uri 'none'; form-action 'self'; frame-ancestors 'none'")
        .header("X-Content-Type-Options", "nosniff")
        .header("X-Frame-Options", "DENY")
        .header("Referrer-Policy", "same-origin");
    if (!request.getPath().startsWith(ASSETS)) {
      response.header(HttpHeaders.CACHE_CONTROL, "no-store");
    }
    if (publicUrl.startsWith("https://")) {
      response.header("Strict-Transport-Security", "max-age=31536000");
    }
  }
}
