package org.habitline.ops;

import io.micronaut.context.annotation.Value;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.cookie.Cookie;
import io.micronaut.http.cookie.SameSite;
import io.micronaut.security.token.reader.TokenReader;
import jakarta.inject.Singleton;
import java.util.Optional;

/** The cookie that carries a session: out of reach of scripts and of other sites. */
@Singleton
final class SessionCookie implements TokenReader<HttpRequest<?>> {

  static final String NAME = "habitline_session";

  private final boolean secure;

  SessionCookie(@Value("${habitline.public-url:}") String publicUrl) {
    this.secure = publicUrl.startsWith("https://");
  }

  /** Runs after the reader of the Authorization header: a key that was sent on purpose wins. */
  @Override
  public int getOrder() {
    return LOWEST_PRECEDENCE;
  }

  @Override
  public Optional<String> findToken(HttpRequest<?> request) {
    return value(request).map(secret -> SessionTokens.PREFIX + secret);
  }

  static Optional<String> value(HttpRequest<?> request) {
    return request.getCookies().findCookie(NAME).map(Cookie::getValue);
  }

  Cookie with(String secret) {
    return cookie(secret).maxAge(Access.SESSION);
  }

  Cookie gone() {
    return cookie("").maxAge(0);
  }

  private Cookie cookie(String value) {
    return Cookie.of(NAME, value).path("/").httpOnly(true).secure(secure).sameSite(SameSite.Strict);
  }
}
