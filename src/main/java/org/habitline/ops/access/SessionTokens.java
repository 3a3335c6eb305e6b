package org.habitline.ops.access;

import io.micronaut.core.async.publisher.Publishers;
import io.micronaut.http.HttpMethod;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.MediaType;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.security.authentication.Authentication;
import io.micronaut.security.token.validator.TokenValidator;
import io.micronaut.web.router.RouteAttributes;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import org.habitline.staff.web.Passes;
import org.habitline.storage.ConnectionLane;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;

/**
 * Authenticates requests by API key, session or participant's token; looks them up off the event
 * loop.
 */
@Singleton
final class SessionTokens implements TokenValidator<HttpRequest<?>> {

  /**
   * Marks secrets that came in a cookie, so that a session does not work as a key, nor a key as a
   * session.
   */
  static final String PREFIX = "session ";

  private static final String CREDENTIAL = "credential";
  private static final String KEY_ID = "key_id";
  private static final String SESSION = "session";
  private static final String KIND = "kind";

  private final Access access;
  private final Keyring keyring;
  private final LoginBrake brake;
  private final SessionCookie cookie;
  private final ChatTokens tokens;
  private final ExecutorService executor;

  SessionTokens(
      Access access,
      Keyring keyring,
      LoginBrake brake,
      SessionCookie cookie,
      ChatTokens tokens,
      @Named(TaskExecutors.BLOCKING) ExecutorService executor) {
    this.access = access;
    this.keyring = keyring;
    this.brake = brake;
    this.cookie = cookie;
    this.tokens = tokens;
    this.executor = executor;
  }

  @Override
  public Publisher<Authentication> validateToken(String token, @Nullable HttpRequest<?> request) {
    if (request == null || ChatTokens.isForChat(request)) {
      return Publishers.empty(); // the chat accepts only participants' tokens
    }
    return Publishers.fromCompletableFuture(() ->
        CompletableFuture.supplyAsync(
            () -> ConnectionLane.ANSWERING.call(() -> who(token, request).orElse(null)), executor));
  }

  private Optional<Authentication> who(String token, HttpRequest<?> request) {
    return token.startsWith(PREFIX)
        ? session(token, request)
        : keyring.find(
            RefusedEntries.Door.KEY,
            brake.source(request),
            token,
            () ->
                key(token)
                    .or(() ->
                        ChatTokens.isForTools(request) ? tokens.holder(token) : Optional.empty()));
  }

  private Optional<Authentication> key(String token) {
    return access
        .key(token)
        .map(who ->
            authentication(
                who,
                token,
                who.keyId() == null
                    ? IssuedPasses.OUTSIDE
                    : IssuedPasses.key(Secrets.hash(token))));
  }

  /** Looks up a session only if the cookie holds it: a header must not claim one. */
  private Optional<Authentication> session(String token, HttpRequest<?> request) {
    var secret = token.substring(PREFIX.length());
    return cookie
        .value(request)
        .filter(secret::equals)
        .flatMap(it -> access.session(it, !byItself(request)))
        .map(who -> authentication(who, token, IssuedPasses.session(Secrets.hash(secret))));
  }

  /**
   * Returns whether an open page sent the request by itself: live pages follow events and refresh
   * their parts.
   */
  private static boolean byItself(HttpRequest<?> request) {
    return RouteAttributes.getRouteMatch(request)
            .filter(match ->
                match.getRouteInfo().getProduces().contains(MediaType.TEXT_EVENT_STREAM_TYPE))
            .isPresent()
        || (request.getMethod() == HttpMethod.GET && request.getHeaders().contains("HX-Request"));
  }

  private static Authentication authentication(Access.Who who, String token, String pass) {
    var attributes = new HashMap<String, Object>();
    attributes.put(CREDENTIAL, Secrets.hash(token));
    attributes.put(Passes.PASS, pass);
    attributes.put(KIND, who.kind());
    if (who.account() != null) {
      attributes.put(Passes.ACCOUNT, who.account());
    }
    if (who.keyId() != null) {
      attributes.put(KEY_ID, who.keyId());
    }
    if (who.session() != null) {
      attributes.put(SESSION, who.session());
    }
    return Authentication.build(who.name(), who.allows(), Map.copyOf(attributes));
  }

  /** Returns a value that identifies the key or session, or the caller's name if there is none. */
  static String credential(Authentication who) {
    return Objects.toString(who.getAttributes().get(CREDENTIAL), who.getName());
  }

  /** Returns the caller of an authenticated request, for the audit log and for look-ups. */
  static Access.Who who(Authentication by) {
    return new Access.Who(
        by.getName(),
        by.getAttributes().get(KIND) instanceof KeyKind kind
            ? kind
            : Role.highest(by.getRoles()).flatMap(role -> KeyKind.of(role.word())).orElseThrow(),
        by.getRoles().contains(Role.SAFETY.word()),
        by.getAttributes().get(KEY_ID) instanceof String id ? id : null,
        by.getAttributes().get(Passes.ACCOUNT) instanceof String id ? id : null,
        by.getAttributes().get(SESSION) instanceof Long seq ? seq : null);
  }
}
