package org.habitline.ops.access;

import io.micronaut.context.annotation.Value;
import io.micronaut.core.async.publisher.Publishers;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.server.netty.NettyHttpRequest;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.security.authentication.Authentication;
import io.micronaut.security.authentication.AuthorizationException;
import io.micronaut.security.token.reader.TokenReader;
import io.micronaut.security.token.validator.TokenValidator;
import io.micronaut.web.router.RouteAttributes;
import io.micronaut.websocket.annotation.ServerWebSocket;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import org.habitline.audit.AuditAction;
import org.habitline.audit.AuditEntry;
import org.habitline.audit.AuditLog;
import org.habitline.participants.Participant;
import org.habitline.participants.ParticipantListener;
import org.habitline.participants.ParticipantStatus;
import org.habitline.participants.Participants;
import org.habitline.staff.live.ChatPasses;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.Passes;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;

/**
 * Issues and checks participants' tokens. A token opens the web chat of its own conversation and
 * the tools of its own participant, and nothing else. It ends when it expires, when it is revoked,
 * and when its participant withdraws or is erased. Uses system time.
 */
@Singleton
public final class ChatTokens
    implements ChatPasses,
        ParticipantListener,
        TokenReader<HttpRequest<?>>,
        TokenValidator<HttpRequest<?>> {

  private static final String QUERY_PARAMETER = "token";

  private final JdbcChatTokens rows;
  private final Participants participants;
  private final AuditLog audit;
  private final Transactions transactions;
  private final ExecutorService executor;
  private final Clock clock;
  private final Keyring keyring;
  private final LoginBrake brake;
  private final boolean tokenInAddress;
  private final boolean proxied;

  ChatTokens(
      JdbcChatTokens rows,
      Keyring keyring,
      LoginBrake brake,
      @Value("${habitline.host}") String host,
      @Value("${habitline.public-url:}") String publicUrl,
      Participants participants,
      AuditLog audit,
      Transactions transactions,
      @Named(TaskExecutors.BLOCKING) ExecutorService executor,
      @Named("system") Clock clock) {
    this.rows = rows;
    this.keyring = keyring;
    this.brake = brake;
    this.tokenInAddress = Loopback.isLoopback(host) && publicUrl.isBlank();
    this.proxied = publicUrl.startsWith("https://");
    this.participants = participants;
    this.audit = audit;
    this.transactions = transactions;
    this.executor = executor;
    this.clock = clock;
  }

  /** A new token; it is shown only this once. */
  record NewToken(String token, String conversationId, Instant expiresAt) {}

  /**
   * Creates a token.
   *
   * @throws ApiProblem 404 if there is no such participant, 409 if they are not on the simulator or
   *     have withdrawn
   */
  NewToken create(Access.Who by, String participantId, Duration time) {
    return transactions.write(() -> {
      check(held(participantId));
      var secret = Secrets.next();
      var now = clock.instant();
      rows.expire(now);
      rows.insert(Secrets.hash(secret), participantId, now, now.plus(time));
      audit.record(
          AuditEntry.of(by.name(), by.kind().word(), AuditAction.CHAT_TOKEN_CREATED)
              .to(participantId)
              .changed(null, "until " + now.plus(time)));
      return new NewToken(secret, participantId, now.plus(time));
    });
  }

  private static void check(Participant participant) {
    if (!participant.channel().isSimulated()) {
      throw ApiProblem.conflict(
          "This participant's channel is "
              + participant.channel().word()
              + "; the web chat is for participants on the simulator.");
    }
    if (participant.status() == ParticipantStatus.WITHDRAWN) {
      throw ApiProblem.conflict("This participant has withdrawn.");
    }
  }

  /**
   * Revokes every token of a participant, effective at once.
   *
   * @return how many there were
   * @throws ApiProblem 404 if there is no such participant
   */
  int revoke(Access.Who by, String participantId) {
    return transactions.write(() -> {
      var ended = rows.deleteOf(held(participantId).id());
      audit.record(
          AuditEntry.of(by.name(), by.kind().word(), AuditAction.CHAT_TOKENS_REVOKED)
              .to(participantId)
              .changed(String.valueOf(ended), "0"));
      return ended;
    });
  }

  private Participant held(String participantId) {
    participants.hold(participantId);
    return participants.find(participantId).orElseThrow(ApiProblem::noParticipant);
  }

  /** Returns the hashes among these whose tokens are in force. */
  List<String> inForce(List<String> hashes) {
    return hashes.isEmpty()
        ? List.of()
        : transactions.read(() -> rows.inForce(hashes, clock.instant()));
  }

  @Override
  public Optional<Guest> admit(String token, String source) {
    var hash = Secrets.hash(token);
    return keyring.find(
        RefusedEntries.Door.CHAT,
        source,
        token,
        () ->
            transactions
                .read(() -> rows.find(hash, clock.instant()))
                .map(id -> new Guest(id, IssuedPasses.token(hash))));
  }

  @Override
  public String source(HttpRequest<?> handshake) {
    return brake.source(handshake);
  }

  @Override
  public Optional<String> origin(HttpRequest<?> handshake) {
    return Optional.of(brake.source(handshake))
        .filter(source -> brake.tellsApart() || !(proxied || Loopback.isLoopback(source)));
  }

  @Override
  public Optional<Guest> guest(Authentication known) {
    return known.getAttributes().get(Passes.PASS) instanceof String pass
            && IssuedPasses.isToken(pass)
        ? Optional.of(new Guest(known.getName(), pass))
        : Optional.empty();
  }

  /**
   * Returns the token in the address, which is accepted only on the local machine, for trying the
   * chat out: a proxy would log it. Elsewhere browsers send the token as the first message, because
   * they cannot add a header to the handshake.
   */
  @Override
  public Optional<String> findToken(HttpRequest<?> request) {
    return isForChat(request) && tokenInAddress
        ? request.getParameters().getFirst(QUERY_PARAMETER)
        : Optional.empty();
  }

  @Override
  public int getOrder() {
    return LOWEST_PRECEDENCE;
  }

  /**
   * Looks the token up off the event loop and completes on it: the server answers the handshake on
   * the completing thread, and on another one a fast client could send its first message before a
   * handler is registered.
   */
  @Override
  public Publisher<Authentication> validateToken(String token, @Nullable HttpRequest<?> request) {
    return request instanceof NettyHttpRequest<?> handshake && isForChat(request)
        ? Publishers.fromCompletableFuture(() ->
            CompletableFuture.supplyAsync(() -> admit(token, brake.source(handshake)), executor)
                .thenApplyAsync(
                    ChatTokens::authentication, handshake.getChannelHandlerContext().executor()))
        : Publishers.empty();
  }

  /**
   * Returns whether a request is for the chat. Checks the route, because an address has many
   * spellings.
   */
  public static boolean isForChat(HttpRequest<?> request) {
    return RouteAttributes.getRouteMatch(request)
        .filter(match -> match.getAnnotationMetadata().hasAnnotation(ServerWebSocket.class))
        .isPresent();
  }

  /**
   * Returns whether a request is for the participants' tools. Checks the path alone, so that a
   * method that is not there is refused as such: the role decides who gets further.
   */
  static boolean isForTools(HttpRequest<?> request) {
    var path = request.getPath();
    return path.equals(Passes.MCP) || path.equals(Passes.MCP + "/");
  }

  /** Returns the participant whose token this is, with the role {@link Passes#PARTICIPANT}. */
  Optional<Authentication> holder(String token) {
    var hash = Secrets.hash(token);
    return transactions
        .read(() -> rows.find(hash, clock.instant()))
        .map(id ->
            Authentication.build(
                id, List.of(Passes.PARTICIPANT), Map.of(Passes.PASS, IssuedPasses.token(hash))));
  }

  /**
   * Returns the guest's authentication; fails if the token was invalid, unlike a handshake without
   * a token.
   */
  private static Authentication authentication(Optional<Guest> found) {
    return found
        .map(guest ->
            Authentication.build(
                guest.participantId(), List.of(), Map.of(Passes.PASS, guest.pass())))
        .orElseThrow(() -> new AuthorizationException(null));
  }

  @Override
  public void updated(Participant before, Participant after) {
    if (after.status() == ParticipantStatus.WITHDRAWN) {
      rows.deleteOf(after.id());
    }
  }

  @Override
  public void leaving(Participant participant) {
    rows.deleteOf(participant.id());
  }

  @Override
  public void erased(String participantId, boolean keepTranscript) {
    rows.deleteOf(participantId);
  }
}
