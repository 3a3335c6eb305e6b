package org.habitline.ops.http;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.micronaut.core.type.Argument;
import io.micronaut.web.router.exceptions.UnsatisfiedRouteException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Map;
import java.util.function.Supplier;
import org.habitline.ops.database.Doors;
import org.habitline.ops.database.TestRoutes;
import org.habitline.ops.start.MessageFreeStackTrace;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

/** Every way a request can be wrong has its sentence. */
@Isolated("It reads the log of the whole process.")
@ResourceLock(value = Resources.SYSTEM_ERR, mode = ResourceAccessMode.READ)
class ErrorResponsesTest {

  /** Takes a JSON body; that there is no such participant is found out after it was read. */
  private static final String MESSAGES = "/conversation/participants/nobody/messages";

  private static Doors doors;

  @BeforeAll
  static void open() {
    doors = Doors.open(Map.of("habitline.max-body", "2KB"));
  }

  @AfterAll
  static void close() {
    doors.close();
  }

  private static Doors.Call at(String path) {
    return doors.at(path).key(Doors.ADMIN_KEY);
  }

  /** The answer of a route that fails like this. */
  private static Doors.Answer failing(Supplier<Exception> fault) {
    return doors.failing(at(TestRoutes.FAILING), fault);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"text\":\"a\",\"mute_mnutes\":1} | Unknown field 'mute_mnutes'; accepted fields:"
            + " mute_minutes, text.",
        "{\"muteMinutes\":1} | Unknown field 'muteMinutes'; accepted fields: mute_minutes, text.",
        "{\"text\": | The body is not readable as JSON; send one JSON object.",
        "not json | The body is not readable as JSON; send one JSON object.",
        "{\"text\":\"a\",\"mute_minutes\":\"many\"} | The field 'mute_minutes' has a value of the wrong type; expected a whole number.",
        "{\"text\":{}} | The field 'text' has a value of the wrong type; expected a string.",
        "{\"text\":5} | The field 'text' has a value of the wrong type; expected a string.",
        "{\"text\":true} | The field 'text' has a value of the wrong type; expected a string.",
        "{\"text\":\"a\",\"text\":\"b\"} | The body is not readable as JSON; send one JSON object.",
        "[1] | The body has the wrong shape; send one JSON object.",
        "[] | The body has the wrong shape; send one JSON object.",
        "1 | The body has the wrong shape; send one JSON object.",
        "\"text\" | The body has the wrong shape; send one JSON object.",
        "null | The body is missing; send one JSON object."
      })
  void aWrongBodyIsAnsweredWithWhatIsAccepted(String body, String sentence) {
    isBad(at(MESSAGES).json(body), sentence);
  }

  @Test
  void aWrongTruthValueOrListIsToldToo() {
    isBad(
        at("/keys").json("{\"name\":\"a\",\"deidentified\":\"perhaps\"}"),
        "The field 'deidentified' has a value of the wrong type; expected true or false.");
    isBad(
        at("/conversation/bulk/preview").json("{\"participants\":\"one\"}"),
        "The field 'participants' has a value of the wrong type; expected a list.");
  }

  private static void isBad(Doors.Answer answer, String sentence) {
    assertThat(answer.message()).isEqualTo(sentence);
    assertThat(answer.status()).isEqualTo(400);
  }

  @Test
  void aSecondValueBehindTheFirstIsNotSwallowed() {
    var answer = at(MESSAGES).json("{\"text\":\"a\"} {\"text\":\"b\"}");
    assertThat(answer.status()).isEqualTo(400);
  }

  @Test
  void aMissingBodyIsNamed() {
    isBad(at(MESSAGES).json(""), "The body is missing; send one JSON object.");
  }

  @Test
  void aWrongOrMissingParameterIsNamedAndNotRepeated() {
    assertThat(at("/keys?limit=abc").get().message()).isEqualTo("limit: expected a whole number.");
    assertThat(at("/keys?limit=3").get().status()).isEqualTo(200);
    isBad(
        failing(() -> UnsatisfiedRouteException.create(Argument.of(int.class, "number"))),
        "number: missing; expected a whole number.");
  }

  @Test
  void anUnknownParameterIsNamedWithTheAcceptedOnes() {
    isBad(
        at("/keys?lmit=3").get(),
        "Unknown query parameter 'lmit'; accepted parameters: cursor, limit.");
  }

  @Test
  void anUnknownAddressIsA404ForEverybody() {
    var sentence = "There is nothing at this address; /api-docs lists all addresses.";
    assertThat(at("/nowhere").get().status()).isEqualTo(404);
    assertThat(at("/nowhere").get().message()).isEqualTo(sentence);
    assertThat(doors.at("/nowhere").get().status()).isEqualTo(404);
  }

  @Test
  void aWrongMethodAndAWrongKindOfBodyAreTold() {
    var method = at(MESSAGES).send("PATCH", "");
    assertThat(method.status()).isEqualTo(405);
    assertThat(method.message()).isEqualTo("This address does not accept PATCH.");
    var form = at(MESSAGES).form("text", "a");
    assertThat(form.status()).isEqualTo(415);
    assertThat(form.message())
        .isEqualTo("Send the body as JSON, with 'Content-Type: application/json'.");
  }

  @Test
  void aBodyThatIsTooLargeIsRefusedWithTheLimitWhetherItsLengthIsToldOrNot() {
    var large = "{\"text\":\"" + "a".repeat(3000) + "\"}";
    for (var answer : new Doors.Answer[] {at(MESSAGES).json(large), at(MESSAGES).chunked(large)}) {
      assertThat(answer.status()).isEqualTo(413);
      assertThat(answer.message())
          .isEqualTo(
              "The request is too large; at most 2KB is accepted as the body (HABITLINE_MAX_BODY sets it),"
                  + " 4 KiB as the address and 8 KiB as the headers.");
    }
    assertThat(at(MESSAGES).chunked("{\"text\":\"a\"}").status()).isEqualTo(404);
  }

  @Test
  void aDatabaseThatIsAwayIsNotCalledBusy() {
    var away = failing(ErrorResponsesTest::away);
    assertThat(away.status()).isEqualTo(503);
    assertThat(away.header("Retry-After")).isEqualTo("1");
    assertThat(away.message())
        .isEqualTo(
            "The database cannot be reached at the moment; nothing that was acknowledged is lost. Try again shortly.");
    var busy =
        failing(() -> new SQLTransientConnectionException("No connection was free within 5 s."));
    assertThat(busy.status()).isEqualTo(503);
    assertThat(busy.message()).startsWith("All database connections are in use");
  }

  /** What a pool says whose database is away. */
  private static Exception away() {
    var config = new HikariConfig();
    config.setJdbcUrl("jdbc:postgresql://127.0.0.1:1/nowhere");
    config.setInitializationFailTimeout(-1);
    config.setConnectionTimeout(1000);
    try (var pool = new HikariDataSource(config);
        var connection = pool.getConnection()) {
      throw new AssertionError("Somebody answers: " + connection);
    } catch (SQLException e) {
      return e;
    }
  }

  @Test
  void aChangeThatMayHaveBeenKeptIsNotToBeRepeatedBlindly() {
    var answer = failing(ErrorResponsesTest::unconfirmed);
    assertThat(answer.status()).isEqualTo(503);
    assertThat(answer.header("Retry-After")).isEmpty();
    assertThat(answer.message())
        .matches(
            "It is not known whether this change was kept, because the database did not confirm it in time\\."
                + " Check whether it is there before you try again\\."
                + " The log has the details under err_[0-9a-f]{24}\\.");
    var page = doors.failing(at(TestRoutes.FAILING).browser(), ErrorResponsesTest::unconfirmed);
    assertThat(page.status()).isEqualTo(503);
    assertThat(page.text()).contains("<title>Problem 503", "It is not known whether this change");
  }

  /** What a change says that the file does not get in time. */
  private static Exception unconfirmed() {
    return new IllegalStateException(
        "Could not commit", new SQLException("Not stored within 10 s.", "08007"));
  }

  @Test
  void aMistakeInsideIsToldByANumberAndLoggedWithoutWhatTheRequestHeld() {
    var log = (Logger) LoggerFactory.getLogger(ErrorResponses.class);
    var lines = new ListAppender<ILoggingEvent>();
    lines.start();
    log.addAppender(lines);
    try {
      var answer = failing(ErrorResponsesTest::broken);
      assertThat(answer.status()).isEqualTo(500);
      assertThat(answer.message())
          .matches("An internal error occurred. The log has the details under err_[0-9a-f]{24}\\.");

      assertThat(lines.list).hasSize(1);
      var event = lines.list.getFirst();
      var number = answer.message().replaceAll(".*(err_[0-9a-f]{24}).*", "$1");
      assertThat(event.getFormattedMessage())
          .isEqualTo(
              number
                  + ": GET "
                  + TestRoutes.FAILING_TEMPLATE
                  + " failed: java.lang.IllegalStateException,"
                  + " caused by java.lang.RuntimeException");
      var logged = event.getFormattedMessage() + new MessageFreeStackTrace().convert(event);
      assertThat(logged)
          .contains("ErrorResponsesTest.broken", "caused by")
          .doesNotContain("a text of a participant", "12065550100", "\n");
    } finally {
      log.detachAppender(lines);
    }
  }

  private static Exception broken() {
    return new IllegalStateException(
        "a text of a participant", new RuntimeException("+12065550100"));
  }

  @Test
  void aBrowserSeesAPage() {
    var answer = at("/nowhere").browser().get();
    assertThat(answer.status()).isEqualTo(404);
    assertThat(answer.header("Content-Type")).startsWith("text/html");
    assertThat(answer.text()).contains("<title>Problem 404", "There is no page at this address");
  }

  @Test
  void jsonIsSnakeCaseWithUtcTimesEmptyListsAndWithoutNulls() {
    var answer =
        at("/conversation/participants")
            .json("{\"phone_number\":\"+12065550177\",\"name\":\"Al\"}");
    assertThat(answer.status()).isEqualTo(201);
    assertThat(answer.text())
        .contains("\"phone_number\":\"+12065550177\"", "\"tags\":[]")
        .containsPattern("\"created_at\":\"\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z\"")
        .doesNotContain("study_id", "null");
  }
}
