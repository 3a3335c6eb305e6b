package org.habitline.messaging.twilio;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Queue;
import java.util.SequencedMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.habitline.messaging.twilio.MessageRules.Refusal;
import org.jspecify.annotations.Nullable;

/**
 * A local server that speaks Twilio's Messages API and holds its callers to the vendor's rules:
 * what the real API refuses is refused with the same code, and remembered as a violation. What the
 * real API passes over in silence, such as a misspelled parameter, is a violation too. What becomes
 * of a request within the rules is scripted: a queue first, then a function of the request.
 */
public final class FakeTwilio implements AutoCloseable {

  public static final String ACCOUNT_SID = "AC" + "0123456789abcdef".repeat(2);
  public static final String AUTH_TOKEN = "fedcba9876543210".repeat(2);

  private static final JsonMapper JSON = new JsonMapper();
  private static final String MESSAGES = "/2010-04-01/Accounts/" + ACCOUNT_SID + "/Messages";
  private static final DateTimeFormatter DONE_DATE =
      DateTimeFormatter.ofPattern("yyMMddHHmm").withZone(ZoneOffset.UTC);

  static {
    // Read once by the JDK's server: no stalls of 40 ms by Nagle's algorithm, and the connections
    // of several hundred callers are kept.
    System.setProperty("sun.net.httpserver.nodelay", "true");
    System.setProperty("sun.net.httpserver.maxIdleConnections", "5000");
  }

  private final HttpServer server;
  private final Clock clock;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final AtomicReference<CountDownLatch> release =
      new AtomicReference<>(new CountDownLatch(1));
  private final AtomicInteger pending = new AtomicInteger();
  private final Queue<TwilioAnswer> queue = new ConcurrentLinkedQueue<>();
  private final Queue<TwilioAnswer> readQueue = new ConcurrentLinkedQueue<>();
  private final List<Posted> posts = new CopyOnWriteArrayList<>();
  private final List<String> reads = new CopyOnWriteArrayList<>();
  private final List<String> violations = new CopyOnWriteArrayList<>();
  private final Map<String, String> wires = new ConcurrentHashMap<>();
  private final Map<String, List<String>> services = new ConcurrentHashMap<>();
  private final Map<String, String> categories = new ConcurrentHashMap<>();
  private final Map<String, Consumer<ObjectNode>> spoilt = new ConcurrentHashMap<>();
  private volatile boolean listsRcs = true;
  private final SequencedMap<String, TwilioMessage> messages = new LinkedHashMap<>();
  private volatile Function<Posted, TwilioAnswer> otherwise = posted -> TwilioAnswer.accept();
  private volatile TwilioAnswer otherwiseRead = TwilioAnswer.accept();

  /** One POST as it came in, whether it was refused or not. */
  public record Posted(Instant at, String authorization, FormFields form) {

    public String to() {
      return form.text("To");
    }

    public String from() {
      return form.text("From");
    }

    public String body() {
      return form.text("Body");
    }
  }

  private record Reply(int status, JsonNode body) {
    static Reply error(int status, int code, String message) {
      var root = JSON.createObjectNode();
      root.put("code", code);
      root.put("message", message);
      root.put("more_info", "https://www.twilio.com/docs/errors/" + code);
      root.put("status", status);
      return new Reply(status, root);
    }

    static Reply of(Refusal refusal) {
      return error(refusal.status(), refusal.code(), refusal.message());
    }
  }

  private FakeTwilio(HttpServer server, Clock clock) {
    this.server = server;
    this.clock = clock;
  }

  public static FakeTwilio start() {
    return start(Clock.systemUTC());
  }

  /** Starts a fake whose messages are dated by this clock. */
  public static FakeTwilio start(Clock clock) {
    try {
      var http =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1024);
      var fake = new FakeTwilio(http, clock);
      http.setExecutor(fake.threads);
      http.createContext("/", fake::handle);
      http.start();
      return fake;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What stands in for {@code https://api.twilio.com}. */
  public String baseUrl() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /**
   * Settings of a line that has this account and texts by SMS.
   *
   * @param more keys and values, in turn
   */
  public Map<String, String> settings(String... more) {
    var settings = new HashMap<String, String>();
    settings.put("twilio.account-sid", ACCOUNT_SID);
    settings.put("twilio.auth-token", AUTH_TOKEN);
    settings.put("twilio.sms-from", TwilioPhone.LINE_NUMBER);
    settings.put("twilio.api-base-url", baseUrl());
    for (int i = 0; i < more.length; i += 2) {
      settings.put(more[i], more[i + 1]);
    }
    return settings;
  }

  // What is answered

  /** These POSTs within the rules are answered so, in order. */
  public FakeTwilio then(TwilioAnswer... answers) {
    queue.addAll(List.of(answers));
    return this;
  }

  /** What is answered to a POST when the queue is empty; accepting, if nothing else is said. */
  public FakeTwilio otherwise(Function<Posted, TwilioAnswer> answer) {
    otherwise = answer;
    return this;
  }

  /** What is answered to a read when nothing else was said; it just works at first. */
  public FakeTwilio otherwiseRead(TwilioAnswer answer) {
    otherwiseRead = answer;
    return this;
  }

  /** The next reads, of the list or of one message, are answered so, in order. */
  public FakeTwilio thenRead(TwilioAnswer... answers) {
    readQueue.addAll(List.of(answers));
    return this;
  }

  /** Lets every answer go that hangs now: what was accepted is told late, the rest is closed. */
  public void release() {
    release.getAndSet(new CountDownLatch(1)).countDown();
  }

  /**
   * Callbacks to URLs that begin with the one go to the other; they stay signed for the first, as
   * behind a proxy.
   */
  public FakeTwilio reaching(String publicUrl, String lineUrl) {
    wires.put(publicUrl, lineUrl);
    return this;
  }

  // What has happened

  /** The messages that were accepted, in that order. */
  public List<TwilioMessage> messages() {
    synchronized (messages) {
      return messages.values().stream().filter(message -> !message.inbound()).toList();
    }
  }

  /** Returns a message in either direction as it is now; refuses an unknown sid. */
  public TwilioMessage message(String sid) {
    return find(sid).orElseThrow(() -> new IllegalArgumentException("There is no message " + sid));
  }

  /** Every POST so far, the refused ones included, in the order of arrival. */
  public List<Posted> posts() {
    return List.copyOf(posts);
  }

  /** The path and query of every read so far. */
  public List<String> reads() {
    return List.copyOf(reads);
  }

  /** What callers did that the vendor forbids, with its code, or passes over in silence. */
  public List<String> violations() {
    return List.copyOf(violations);
  }

  /** How many requests wait for their answer at this moment. */
  public int pending() {
    return pending.get();
  }

  public void forgetReads() {
    reads.clear();
  }

  public void forget() {
    synchronized (messages) {
      messages.clear();
    }
    queue.clear();
    readQueue.clear();
    posts.clear();
    reads.clear();
    violations.clear();
  }

  // What Twilio itself does

  /** Puts a text of a participant in the list, as if the line had missed its webhook. */
  public String receive(String from, String to, String body) {
    return receive(FormFields.of("MessageSid", newSid(), "From", from, "To", to, "Body", body));
  }

  /**
   * Puts an inbound message in the list, in the words of its webhook; a sid that is there already
   * stays as it is.
   */
  public String receive(FormFields webhook) {
    return receive(webhook, clock.instant());
  }

  /** The same at another time than now, so that a missed text can be old. */
  public String receive(FormFields webhook, Instant at) {
    var sid = webhook.text("MessageSid");
    synchronized (messages) {
      messages.putIfAbsent(sid, TwilioMessage.inbound(sid, webhook, at));
    }
    return sid;
  }

  /** Gives a message this status, forward or back, and tells nobody. */
  public void mark(String sid, String status) {
    change(sid, message -> message.in(status, null, clock.instant()));
  }

  /** Gives a message this status and error, forward or back, and tells nobody. */
  public void mark(String sid, String status, int errorCode) {
    change(sid, message -> message.in(status, errorCode, clock.instant()));
  }

  /** A message is not in the list as it should be. */
  public void spoil(String sid, Consumer<ObjectNode> how) {
    spoilt.put(sid, how);
  }

  /** The list shows no messages by RCS, or not when it is asked for a receiver. */
  public void hideRcs() {
    listsRcs = false;
  }

  /** Says what a message cost, as Twilio does some time after it was sent. */
  public void charge(String sid, String price) {
    change(sid, message -> message.charged(price));
  }

  /**
   * Tells the line that a message has come to this status; the message itself moves forward with
   * it, never back. Works at any time: before the POST was answered, twice, out of order.
   *
   * @return the HTTP status of the line's answer
   * @throws UncheckedIOException if nobody answers within Twilio's 15 seconds
   */
  public int callback(String sid, String status) {
    return callback(sid, callbackForm(sid, status));
  }

  /** Tells the line that a message has failed: {@code failed} or {@code undelivered}. */
  public int callback(String sid, String status, int errorCode) {
    return callback(sid, callbackForm(sid, status, errorCode));
  }

  /** Posts any form to the status callback of a message, rightly signed. */
  public int callback(String sid, FormFields form) {
    var url = message(sid).statusCallback();
    if (url == null) {
      throw new IllegalStateException("Nobody asked for callbacks of " + sid);
    }
    return TwilioCall.post(
            wire(url),
            form.encoded().getBytes(StandardCharsets.UTF_8),
            TwilioSigner.sign(AUTH_TOKEN, url, form))
        .statusCode();
  }

  /** Moves a message forward and returns the form that says so, to be changed or posted later. */
  public FormFields callbackForm(String sid, String status) {
    return callbackForm(sid, status, OptionalInt.empty());
  }

  public FormFields callbackForm(String sid, String status, int errorCode) {
    return callbackForm(sid, status, OptionalInt.of(errorCode));
  }

  private FormFields callbackForm(String sid, String status, OptionalInt errorCode) {
    var code = errorCode.isPresent() ? (Integer) errorCode.getAsInt() : null;
    var message = change(sid, before -> before.atLeastIn(status, code, clock.instant()));
    var sender = message.from();
    var form = FormFields.of();
    if (message.isWhatsApp()) {
      form =
          form.and("ChannelPrefix", "whatsapp")
              .and("ChannelInstallSid", "XE" + "0".repeat(32))
              .and("ChannelToAddress", message.to().replaceFirst("whatsapp:", ""));
    } else if (status.equals("delivered") || status.equals("undelivered")) {
      form = form.and("RawDlrDoneDate", DONE_DATE.format(clock.instant()));
    }
    if (errorCode.isPresent()) {
      form = form.and("ErrorCode", Integer.toString(errorCode.getAsInt()));
    }
    form =
        form.and("SmsSid", sid)
            .and("SmsStatus", status)
            .and("MessageStatus", status)
            .and("To", message.to());
    var service = message.messagingServiceSid();
    if (service != null) {
      form = form.and("MessagingServiceSid", service);
    }
    form = form.and("MessageSid", sid).and("AccountSid", ACCOUNT_SID);
    return (sender == null ? form : form.and("From", sender)).and("ApiVersion", "2010-04-01");
  }

  private String wire(String url) {
    return wires.entrySet().stream()
        .filter(wire -> url.startsWith(wire.getKey()))
        .findFirst()
        .map(wire -> wire.getValue() + url.substring(wire.getKey().length()))
        .orElse(url);
  }

  // The API

  private void handle(HttpExchange exchange) throws IOException {
    var request = new Request(exchange, release.get());
    pending.incrementAndGet();
    try (exchange) {
      request.route();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException | AssertionError e) {
      violations.add("The fake itself has failed: " + e);
      throw e;
    } finally {
      pending.decrementAndGet();
    }
  }

  private static String credentials() {
    return "Basic "
        + Base64.getEncoder()
            .encodeToString((ACCOUNT_SID + ":" + AUTH_TOKEN).getBytes(StandardCharsets.UTF_8));
  }

  /** One request on its way through the fake. */
  private final class Request {

    private final HttpExchange exchange;

    /** Taken before anybody can see the request, so that no release comes too early for it. */
    private final CountDownLatch hang;

    Request(HttpExchange exchange, CountDownLatch hang) {
      this.exchange = exchange;
      this.hang = hang;
    }

    void route() throws IOException, InterruptedException {
      var body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      var authorization = header("Authorization");
      if (isA("POST")) {
        var posted = new Posted(clock.instant(), authorization, form(body));
        posts.add(posted);
        serve(authorization, () -> create(posted));
      } else {
        reads.add(exchange.getRequestURI().toString());
        serve(authorization, this::read);
      }
    }

    private interface Service {
      void serve() throws IOException, InterruptedException;
    }

    private void serve(String authorization, Service service)
        throws IOException, InterruptedException {
      if (authorization.equals(credentials())) {
        service.serve();
      } else {
        exchange.getResponseHeaders().set("WWW-Authenticate", "Basic realm=\"Twilio API\"");
        refuse(new Refusal(401, 20003, "Authentication Error - invalid username"));
      }
    }

    private void create(Posted posted) throws IOException, InterruptedException {
      if (!path().equals(MESSAGES + ".json")) {
        refuse(notFound());
        return;
      }
      violations.addAll(MessageRules.passedOver(posted.form()));
      var refusal = MessageRules.refusal(posted.form());
      if (refusal.isPresent()) {
        refuse(refusal.get());
        return;
      }
      var scripted = queue.poll();
      perform(
          scripted == null ? otherwise.apply(posted) : scripted,
          () -> new Reply(201, accepted(posted.form()).json(ACCOUNT_SID)));
    }

    private void read() throws IOException, InterruptedException {
      if (isA("GET") && path().equals(MESSAGES + ".json")) {
        list();
      } else if (isA("GET") && path().matches(Pattern.quote(MESSAGES) + "/\\w+\\.json")) {
        fetch(path().substring(MESSAGES.length() + 1, path().lastIndexOf('.')));
      } else if (isA("GET") && path().matches("/v1/Content/HX\\w{32}/ApprovalRequests")) {
        performRead(() ->
            new Reply(200, approval(path().replaceAll("/v1/Content/|/ApprovalRequests", ""))));
      } else if (isA("GET") && path().matches("/v1/Services/MG\\w{32}/PhoneNumbers")) {
        performRead(
            () -> new Reply(200, senders(path().replaceAll("/v1/Services/|/PhoneNumbers", ""))));
      } else {
        refuse(notFound());
      }
    }

    private void list() throws IOException, InterruptedException {
      var query = Objects.requireNonNullElse(exchange.getRequestURI().getRawQuery(), "");
      var listing = new MessageListing(ACCOUNT_SID, path(), parsed(query));
      violations.addAll(listing.passedOver());
      var refusal = listing.refusal();
      if (refusal.isPresent()) {
        refuse(refusal.get());
        return;
      }
      performRead(() -> {
        var page = listing.page(newestFirst());
        page.withArray("messages")
            .forEach(it ->
                spoilt.getOrDefault(it.path("sid").asText(), whole -> {}).accept((ObjectNode) it));
        return new Reply(200, page);
      });
    }

    private void fetch(String sid) throws IOException, InterruptedException {
      performRead(() ->
          find(sid)
              .map(message -> new Reply(200, message.json(ACCOUNT_SID)))
              .orElseGet(() -> Reply.of(notFound())));
    }

    private void performRead(Supplier<Reply> work) throws IOException, InterruptedException {
      var scripted = readQueue.poll();
      perform(scripted == null ? otherwiseRead : scripted, work);
    }

    private void perform(TwilioAnswer answer, Supplier<Reply> work)
        throws IOException, InterruptedException {
      await(answer.before());
      var result = answer.accepts() ? Optional.of(work.get()) : Optional.<Reply>empty();
      await(answer.after());
      if (answer.ending() == TwilioAnswer.Ending.NEVER) {
        hang.await();
      }
      var failure = answer.failure();
      var reply =
          failure == null
              ? result
              : Optional.of(
                  Reply.error(failure.status(), failure.code(), "A scripted failure of the fake"));
      if (answer.ending() != TwilioAnswer.Ending.CONNECTION_CLOSED_UNANSWERED
          && reply.isPresent()) {
        write(reply.get(), answer.json());
      }
    }

    private void await(@Nullable CountDownLatch latch) throws InterruptedException {
      if (latch != null) {
        latch.await();
      }
    }

    private void refuse(Refusal refusal) throws IOException {
      violations.add(refusal.code() + " " + refusal.message());
      write(Reply.of(refusal), true);
    }

    private Refusal notFound() {
      return new Refusal(404, 20404, "The requested resource " + path() + " was not found");
    }

    private void write(Reply reply, boolean json) throws IOException {
      var text =
          json
              ? reply.body().toString()
              : "<html><body><h1>%d</h1>from a proxy</body></html>".formatted(reply.status());
      var bytes = text.getBytes(StandardCharsets.UTF_8);
      var headers = exchange.getResponseHeaders();
      headers.set("Content-Type", json ? "application/json;charset=utf-8" : "text/html");
      headers.set("Twilio-Request-Id", "RQ" + UUID.randomUUID().toString().replace("-", ""));
      exchange.sendResponseHeaders(reply.status(), bytes.length);
      exchange.getResponseBody().write(bytes);
    }

    private FormFields form(String body) {
      if (header("Content-Type").startsWith("application/x-www-form-urlencoded")) {
        return parsed(body);
      }
      violations.add("Twilio reads no other content type than forms.");
      return FormFields.of();
    }

    private FormFields parsed(String encoded) {
      try {
        return FormFields.parse(encoded);
      } catch (IllegalArgumentException e) {
        violations.add("A percent encoding is broken.");
        return FormFields.of();
      }
    }

    private boolean isA(String method) {
      return exchange.getRequestMethod().equals(method);
    }

    private String path() {
      return exchange.getRequestURI().getRawPath();
    }

    private String header(String name) {
      return Objects.requireNonNullElse(exchange.getRequestHeaders().getFirst(name), "");
    }
  }

  // The numbers of Messaging Services

  /** A Messaging Service sends from this number, too. */
  public FakeTwilio serving(String service, String number) {
    services.computeIfAbsent(service, sid -> new CopyOnWriteArrayList<>()).add(number);
    return this;
  }

  /** A template is of this category; of utility, if nothing else is said. */
  public FakeTwilio categorised(String template, String category) {
    categories.put(template, category);
    return this;
  }

  private JsonNode approval(String template) {
    var root = JSON.createObjectNode();
    root.put("sid", template).put("account_sid", ACCOUNT_SID);
    root.put("url", "https://content.twilio.com/v1/Content/" + template + "/ApprovalRequests");
    root.putObject("whatsapp")
        .put("type", "whatsapp")
        .put("name", "a_template")
        .put("category", categories.getOrDefault(template, "UTILITY"))
        .put("content_type", "twilio/text")
        .put("status", "approved")
        .put("rejection_reason", "")
        .put("allow_category_change", true)
        .putNull("flows");
    return root;
  }

  private JsonNode senders(String service) {
    var root = JSON.createObjectNode();
    var numbers = root.putArray("phone_numbers");
    for (var number : services.getOrDefault(service, List.of())) {
      numbers
          .addObject()
          .put("sid", "PN" + "0".repeat(32))
          .put("account_sid", ACCOUNT_SID)
          .put("service_sid", service)
          .put("phone_number", number)
          .put("country_code", "US");
    }
    root.putObject("meta")
        .put("key", "phone_numbers")
        .put("page", 0)
        .put("page_size", 50)
        .put("url", "https://messaging.twilio.com/v1/Services/" + service + "/PhoneNumbers")
        .put(
            "first_page_url",
            "https://messaging.twilio.com/v1/Services/" + service + "/PhoneNumbers")
        .putNull("next_page_url")
        .putNull("previous_page_url");
    return root;
  }

  // The messages

  private TwilioMessage accepted(FormFields form) {
    var message = TwilioMessage.outbound(newSid(), form, clock.instant());
    synchronized (messages) {
      messages.put(message.sid(), message);
    }
    return message;
  }

  private static String newSid() {
    return "SM" + UUID.randomUUID().toString().replace("-", "");
  }

  private Optional<TwilioMessage> find(String sid) {
    synchronized (messages) {
      return Optional.ofNullable(messages.get(sid));
    }
  }

  private TwilioMessage change(String sid, UnaryOperator<TwilioMessage> change) {
    synchronized (messages) {
      var changed = change.apply(message(sid));
      messages.put(sid, changed);
      return changed;
    }
  }

  private List<TwilioMessage> newestFirst() {
    synchronized (messages) {
      return messages.sequencedValues().reversed().stream()
          .filter(message -> listsRcs || !message.to().startsWith("rcs:"))
          .sorted(Comparator.comparing(TwilioMessage::createdAt).reversed())
          .toList();
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
    server.stop(0);
  }
}
