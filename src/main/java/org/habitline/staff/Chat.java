package org.habitline.staff;

import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import org.habitline.audit.Event;
import org.habitline.conversation.Conversations;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One web chat: what is said at it goes to the inbox as from a simulated phone, and what the line
 * says comes from the event table, on whichever node it is said. What comes from either side waits
 * in one queue for the chat's own virtual thread.
 */
final class Chat implements LiveEvents.Watcher {

  private static final Logger log = LoggerFactory.getLogger(Chat.class);

  /** Somebody who reads slower than this is cut off. */
  private static final int UNREAD_AT_MOST = 1000;

  /** In characters: the longest text, each of its characters escaped, and the rest. */
  private static final int LONGEST_MESSAGE = 64 * 1024;

  /** Nobody is there who does not answer for so long. */
  static final Duration SILENT_AT_MOST = Duration.ofSeconds(60);

  /** Opens chats. */
  @Singleton
  static final class Desk {
    private final EnrolmentDesk participants;
    private final PhoneDesk phone;
    private final Conversations conversations;
    private final LiveEvents live;
    private final ChatPasses passes;
    private final Clock clock;
    private final Set<Chat> chats = ConcurrentHashMap.newKeySet();

    Desk(
        EnrolmentDesk participants,
        PhoneDesk phone,
        Conversations conversations,
        LiveEvents live,
        ChatPasses passes,
        @Named("system") Clock systemClock) {
      this.participants = participants;
      this.phone = phone;
      this.conversations = conversations;
      this.live = live;
      this.passes = passes;
      this.clock = systemClock;
    }

    /** Opens a chat for whoever came with this pass; returns at once. */
    Chat open(String participantId, String pass, ChatScreen screen) {
      var chat = new Chat(this, participantId, pass, screen);
      chats.add(chat);
      Thread.ofVirtual().name("chat-" + participantId).start(chat::run);
      return chat;
    }

    /** Ends every chat, because the line stops. */
    void close() {
      chats.forEach(chat -> chat.screen.close(ChatScreen.End.LINE_STOPS));
      chats.forEach(Chat::left);
    }
  }

  private sealed interface News {
    record Said(String json) implements News {}

    record Happened(Event event) implements News {}

    record Beat() implements News {}

    record Left(ChatScreen.@Nullable End why) implements News {}
  }

  private final Desk desk;
  private final String participantId;
  private final String pass;
  private final ChatScreen screen;
  private final ChatReply reply;
  private final BlockingQueue<News> news = new LinkedBlockingQueue<>(UNREAD_AT_MOST);

  private volatile boolean gone;
  private volatile Instant lastHeard;

  /** Written before the watching starts. */
  private volatile long since;

  private Chat(Desk desk, String participantId, String pass, ChatScreen screen) {
    this.desk = desk;
    this.participantId = participantId;
    this.pass = pass;
    this.screen = screen;
    this.reply =
        new ChatReply(participantId, ids -> desk.conversations.texts(participantId, ids), screen);
    this.lastHeard = desk.clock.instant();
  }

  /** Something was sent from the other side; returns at once. */
  void said(String json) {
    heard();
    put(new News.Said(json.length() > LONGEST_MESSAGE ? "" : json));
  }

  /** The other side is there. */
  void heard() {
    lastHeard = desk.clock.instant();
  }

  /** The other side has left. */
  void left() {
    put(new News.Left(null));
    gone = true;
  }

  private void put(News one) {
    if (!gone && !news.offer(one)) {
      gone = true;
      screen.close(ChatScreen.End.TOO_SLOW);
      news.clear();
      var _ = news.offer(new News.Left(null));
    }
  }

  private void run() {
    try {
      since = desk.live.announce(participantId);
      desk.live.watch(this);
      var end = talk();
      gone = true;
      if (end != null) {
        screen.close(end);
      }
    } catch (InterruptedException | RuntimeException e) {
      gone = true;
      log.warn("The chat of {} was cut off: {}", participantId, e.getClass().getName());
      screen.close(ChatScreen.End.BROKEN);
    } finally {
      desk.chats.remove(this);
    }
  }

  private ChatScreen.@Nullable End talk() throws InterruptedException {
    while (true) {
      switch (news.take()) {
        case News.Said said -> {
          if (!desk.passes.holds(pass)) {
            return ChatScreen.End.TOKEN_ENDED;
          }
          takeIn(said.json());
        }
        case News.Happened happened -> reply.tell(happened.event());
        case News.Beat beat -> {
          if (!desk.passes.holds(pass)) {
            return ChatScreen.End.TOKEN_ENDED;
          }
          if (lastHeard.plus(SILENT_AT_MOST).isBefore(desk.clock.instant())) {
            return ChatScreen.End.SILENT;
          }
          screen.ping();
        }
        case News.Left left -> {
          return left.why();
        }
      }
    }
  }

  private void takeIn(String json) {
    try {
      var message = ChatMessage.read(json);
      if (message.conversationId().equals(participantId)) {
        desk.phone.text(
            desk.participants.participant(participantId), message.content(), message.id());
      } else {
        reply.error(
            ChatError.ACCESS_DENIED, "conversation_id: not the one that the token was made for.");
      }
    } catch (ChatMessage.Unreadable unreadable) {
      reply.error(ChatError.INVALID_FORMAT, unreadable.sentence());
    } catch (ApiProblem problem) {
      reply.error(ChatError.ACCESS_DENIED, problem.sentence());
    } catch (RuntimeException e) {
      log.warn("A text of {} was not stored: {}", participantId, e.getClass().getName());
      reply.error(
          ChatError.INTERNAL_ERROR, "The text could not be stored; send it again with its id.");
    }
  }

  @Override
  public Long since() {
    return since;
  }

  @Override
  public String participant() {
    return participantId;
  }

  @Override
  public void tell(Event event) {
    if (participantId.equals(event.participantId())) {
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
