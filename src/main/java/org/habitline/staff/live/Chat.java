package org.habitline.staff.live;

import io.micronaut.http.HttpRequest;
import io.micronaut.security.authentication.Authentication;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.habitline.audit.Event;
import org.habitline.audit.Events;
import org.habitline.conversation.stored.TranscriptReader;
import org.habitline.staff.participant.PhoneDesk;
import org.habitline.staff.people.EnrolmentDesk;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.Passes;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One web chat. The participant's texts go to the inbox as from a simulated phone; replies come
 * from the event table, whichever node wrote them. Input from both sides waits in one queue for the
 * chat's own virtual thread.
 */
final class Chat implements LiveEvents.Watcher {

  private static final Logger log = LoggerFactory.getLogger(Chat.class);

  /** Most items in the queue; a client that reads more slowly than this is disconnected. */
  private static final int UNREAD_AT_MOST = 1000;

  /**
   * Longest message in characters: the longest text with each character escaped, and the JSON
   * around it.
   */
  private static final int LONGEST_MESSAGE = 64 * 1024;

  /** Most characters that may wait for the chat's thread; beyond this the chat is closed. */
  private static final int WAITING_AT_MOST = 256 * 1024;

  /** Time within which a client must send a token before it is disconnected. */
  private static final Duration TOKEN_WITHIN = Duration.ofSeconds(10);

  /** Time without any message or pong after which a client counts as gone. */
  static final Duration SILENT_AT_MOST = Duration.ofSeconds(60);

  /** Opens chats and closes them all at shutdown. */
  @Singleton
  static final class Desk {
    private final EnrolmentDesk participants;
    private final PhoneDesk phone;
    private final TranscriptReader transcript;
    private final LiveEvents live;
    private final ChatPasses chatPasses;
    private final Passes passes;
    private final Clock clock;
    private final Set<Chat> chats = ConcurrentHashMap.newKeySet();

    private final ChatSeats seats = new ChatSeats();

    Desk(
        EnrolmentDesk participants,
        PhoneDesk phone,
        TranscriptReader transcript,
        LiveEvents live,
        ChatPasses chatPasses,
        Passes passes,
        @Named("system") Clock systemClock) {
      this.participants = participants;
      this.phone = phone;
      this.transcript = transcript;
      this.live = live;
      this.chatPasses = chatPasses;
      this.passes = passes;
      this.clock = systemClock;
    }

    /**
     * Opens a chat for the participant whose token the handshake carried, or else for the owner of
     * the first token the client sends. Returns at once.
     */
    Chat open(@Nullable Authentication known, HttpRequest<?> handshake, ChatScreen screen) {
      var guest = Optional.ofNullable(known).flatMap(chatPasses::guest);
      var chat =
          new Chat(
              this,
              guest.orElse(null),
              chatPasses.source(handshake),
              ChatSeats.withoutToken(chatPasses.origin(handshake)),
              screen);
      chats.add(chat);
      Thread.ofVirtual().name("chat").start(chat::run);
      return chat;
    }

    /** Closes every chat because the service is stopping. */
    void close() {
      chats.forEach(chat -> chat.screen.close(ChatScreen.End.LINE_STOPS));
      chats.forEach(Chat::left);
    }
  }

  private sealed interface News {
    record Said(String json) implements News {
      @Override
      public int size() {
        return json.length();
      }
    }

    record Happened(Event event) implements News {
      @Override
      public int size() {
        return event.payload().length();
      }
    }

    record Beat() implements News {}

    record Left(ChatScreen.@Nullable End why) implements News {}

    /** Returns the size in characters. */
    default int size() {
      return 0;
    }
  }

  private final Desk desk;
  private final String source;
  private final List<ChatSeats.Row> waitingRoom;
  private final ChatScreen screen;
  private final BlockingQueue<News> news = new LinkedBlockingQueue<>(UNREAD_AT_MOST);

  /** Size in characters of the items in the queue. */
  private final AtomicInteger waiting = new AtomicInteger();

  /** Set in the constructor if the handshake carried a token, otherwise before watching starts. */
  private ChatPasses.@Nullable Guest guest;

  private volatile boolean gone;
  private volatile Instant lastHeard;

  /** Set before watching starts. */
  private volatile Events.@Nullable Place since;

  private Chat(
      Desk desk,
      ChatPasses.@Nullable Guest guest,
      String source,
      List<ChatSeats.Row> waitingRoom,
      ChatScreen screen) {
    this.desk = desk;
    this.waitingRoom = waitingRoom;
    this.guest = guest;
    this.source = source;
    this.screen = screen;
    this.lastHeard = desk.clock.instant();
  }

  /** Queues a message from the client. Returns at once. */
  void said(String json) {
    heard();
    put(new News.Said(json.length() > LONGEST_MESSAGE ? "" : json));
  }

  /** Notes that the client is still connected. */
  void heard() {
    lastHeard = desk.clock.instant();
  }

  /** Ends the chat because the client has disconnected. */
  void left() {
    put(new News.Left(null));
    gone = true;
  }

  private void put(News one) {
    if (!gone && (waiting.addAndGet(one.size()) > WAITING_AT_MOST || !news.offer(one))) {
      gone = true;
      screen.close(ChatScreen.End.TOO_SLOW);
      news.clear();
      var _ = news.offer(new News.Left(null));
    }
  }

  private void run() {
    try {
      var end = guest == null ? shown() : sitDown(guest);
      gone = true;
      if (end != null) {
        screen.close(end);
      }
    } catch (InterruptedException | RuntimeException e) {
      gone = true;
      log.warn("A chat was disconnected: {}", e.getClass().getName());
      screen.close(ChatScreen.End.BROKEN);
    } finally {
      desk.chats.remove(this);
    }
  }

  /** Waits for the token, then runs the chat. */
  private ChatScreen.@Nullable End shown() throws InterruptedException {
    if (!desk.seats.take(waitingRoom)) {
      return ChatScreen.End.TOO_MANY;
    }
    Optional<ChatPasses.Guest> admitted;
    try {
      switch (next(TOKEN_WITHIN)) {
        case News.Said said -> admitted = admitted(said.json());
        case News.Left left -> {
          return left.why();
        }
        case null, default -> admitted = Optional.empty();
      }
    } finally {
      desk.seats.free(waitingRoom);
    }
    if (admitted.isEmpty()) {
      return ChatScreen.End.NO_TOKEN;
    }
    guest = admitted.get();
    return sitDown(admitted.get());
  }

  private Optional<ChatPasses.Guest> admitted(String json) {
    try {
      var found = desk.chatPasses.admit(ChatMessage.token(json), source);
      if (found.isEmpty()) {
        ChatReply.error(screen, ChatError.ACCESS_DENIED, "token: unknown or expired.");
      }
      return found;
    } catch (ChatMessage.Unreadable unreadable) {
      ChatReply.error(screen, ChatError.ACCESS_DENIED, unreadable.sentence());
    } catch (ApiProblem problem) {
      ChatReply.error(screen, ChatError.ACCESS_DENIED, problem.sentence());
    }
    return Optional.empty();
  }

  private ChatScreen.@Nullable End sitDown(ChatPasses.Guest known) throws InterruptedException {
    var seat = ChatSeats.withToken(known.pass());
    if (!desk.seats.take(seat)) {
      return ChatScreen.End.TOO_MANY;
    }
    try {
      since = desk.live.announce(known.participantId());
      desk.live.watch(this);
      return talk(known);
    } finally {
      // Set before the seat is freed, so that no more events are queued for this chat.
      gone = true;
      desk.seats.free(seat);
    }
  }

  private @Nullable News next(Duration patience) throws InterruptedException {
    var one = news.poll(patience.toMillis(), TimeUnit.MILLISECONDS);
    if (one != null) {
      waiting.addAndGet(-one.size());
    }
    return one;
  }

  private ChatScreen.@Nullable End talk(ChatPasses.Guest known) throws InterruptedException {
    var reply =
        new ChatReply(
            known.participantId(),
            ids -> desk.transcript.texts(known.participantId(), ids),
            screen);
    while (true) {
      switch (next(SILENT_AT_MOST)) {
        case News.Said said -> {
          if (!desk.passes.ended(Set.of(known.pass())).isEmpty()) {
            return ChatScreen.End.TOKEN_ENDED;
          }
          takeIn(said.json(), known.participantId(), reply);
        }
        case News.Happened happened -> reply.tell(happened.event());
        case News.Beat beat -> {
          if (lastHeard.plus(SILENT_AT_MOST).isBefore(desk.clock.instant())) {
            return ChatScreen.End.SILENT;
          }
          screen.ping();
        }
        case News.Left left -> {
          return left.why();
        }
        case null -> {
          // No news for a while, not even a heartbeat of the live events.
        }
      }
    }
  }

  private void takeIn(String json, String participantId, ChatReply reply) {
    try {
      var message = ChatMessage.read(json);
      if (message.conversationId().equals(participantId)) {
        desk.phone.text(
            desk.participants.participant(participantId), message.content(), message.id());
      } else {
        reply.error(ChatError.ACCESS_DENIED, "conversation_id: not the token's conversation.");
      }
    } catch (ChatMessage.Unreadable unreadable) {
      reply.error(ChatError.INVALID_FORMAT, unreadable.sentence());
    } catch (ApiProblem problem) {
      reply.error(ChatError.ACCESS_DENIED, problem.sentence());
    } catch (RuntimeException e) {
      log.warn("A chat message of {} was not stored: {}", participantId, e.getClass().getName());
      reply.error(
          ChatError.INTERNAL_ERROR,
          "The text could not be stored; send it again with the same id.");
    }
  }

  @Override
  public Events.@Nullable Place since() {
    return since;
  }

  /** Returns the guest, who is always known once the chat is watching. */
  private ChatPasses.Guest known() {
    return Objects.requireNonNull(guest);
  }

  @Override
  public String participant() {
    return known().participantId();
  }

  @Override
  public String pass() {
    return known().pass();
  }

  @Override
  public void shutOut() {
    put(new News.Left(ChatScreen.End.TOKEN_ENDED));
  }

  @Override
  public void tell(Event event) {
    if (known().participantId().equals(event.participantId())) {
      put(new News.Happened(event));
    }
  }

  @Override
  public void alive() {
    put(new News.Beat());
  }

  @Override
  public void end() {
    put(new News.Left(ChatScreen.End.LINE_STOPS));
  }

  @Override
  public boolean gone() {
    return gone;
  }
}
