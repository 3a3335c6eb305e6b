package org.habitline.ops.access;

import io.micronaut.context.annotation.Value;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.cookie.Cookie;
import io.micronaut.http.cookie.SameSite;
import io.micronaut.security.token.reader.TokenReader;
import jakarta.inject.Singleton;
import java.util.Optional;

/**
 * Reads and writes the session cookie, which scripts and other sites cannot access. Over https its
 * name begins with {@code __Host-}: browsers accept that only from this host itself, with Secure
 * and Path=/ (RFC 6265bis, 4.1.3.2).
 */
@Singleton
final class SessionCookie implements TokenReader<HttpRequest<?>> {

  private static final String NAME = "habitline_session";

  private final boolean secure;
  private final String name;

  SessionCookie(@Value("${habitline.public-url:}") String publicUrl) {
    this.secure = publicUrl.startsWith("https://");
    this.name = secure ? "__Host-" + NAME : NAME;
  }

  /** Runs after the reader of the Authorization header: an explicit key takes precedence. */
  @Override
  public int getOrder() {
    return LOWEST_PRECEDENCE;
  }

  @Override
  public Optional<String> findToken(HttpRequest<?> request) {
    return value(request).map(secret -> SessionTokens.PREFIX + secret);
  }

  Optional<String> value(HttpRequest<?> request) {
    return request.getCookies().findCookie(name).map(Cookie::getValue);
  }

  Cookie with(String secret) {
    return cookie(secret).maxAge(Access.SESSION);
  }

  Cookie gone() {
    return cookie("").maxAge(0);
  }

  private Cookie cookie(String value) {
    return Cookie.of(name, value).path("/").httpOnly(true).secure(secure).sameSite(SameSite.Strict);
  }
}
