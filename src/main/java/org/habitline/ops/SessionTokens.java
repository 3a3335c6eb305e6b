package org.habitline.ops;

import io.micronaut.core.async.publisher.Publishers;
import io.micronaut.http.HttpRequest;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.security.authentication.Authentication;
import io.micronaut.security.token.validator.TokenValidator;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import org.habitline.participants.ConnectionLane;
import org.habitline.staff.ChatPasses;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;

/** Tells who sent a request, by API key or by session; looks it up off the event loop. */
@Singleton
final class SessionTokens implements TokenValidator<HttpRequest<?>> {

  /** Sets what came in a cookie apart from what came as a key: neither works as the other. */
  static final String PREFIX = "session ";

  private static final String CREDENTIAL = "credential";

  private final Access access;
  private final ExecutorService executor;

  SessionTokens(Access access, @Named(TaskExecutors.BLOCKING) ExecutorService executor) {
    this.access = access;
    this.executor = executor;
  }

  @Override
  public Publisher<Authentication> validateToken(String token, @Nullable HttpRequest<?> request) {
    if (request != null && request.getPath().equals(ChatPasses.CHAT)) {
      return Publishers.empty(); // the chat is for participants, and opens to their tokens alone
    }
    return Publishers.fromCompletableFuture(() ->
        CompletableFuture.supplyAsync(
            () -> ConnectionLane.ANSWERING.call(() -> who(token, request).orElse(null)), executor));
  }

  private Optional<Authentication> who(String token, @Nullable HttpRequest<?> request) {
    var who = token.startsWith(PREFIX) ? session(token, request) : access.key(token);
    return who.map(known -> authentication(known, Secrets.hash(token)));
  }

  /** Whatever a header claims, only the cookie carries a session. */
  private Optional<Access.Who> session(String token, @Nullable HttpRequest<?> request) {
    var secret = token.substring(PREFIX.length());
    return Optional.ofNullable(request)
        .flatMap(SessionCookie::value)
        .filter(secret::equals)
        .flatMap(access::session);
  }

  private static Authentication authentication(Access.Who who, String credential) {
    return Authentication.build(who.name(), who.kind().allows(), Map.of(CREDENTIAL, credential));
  }

  /** Tells one key or session from another, and nothing else; by name for what has none. */
  static String credential(Authentication who) {
    return Objects.toString(who.getAttributes().get(CREDENTIAL), who.getName());
  }
}
