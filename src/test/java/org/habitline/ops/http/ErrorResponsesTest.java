package org.habitline.ops.http;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.Map;
import org.habitline.ops.database.Doors;
import org.habitline.ops.start.MessageFreeStackTrace;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

/** Every way a request can be wrong has its sentence. */
@Isolated("It reads the log of the whole process.")
class ErrorResponsesTest {

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

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"some_name\":\"a\",\"how_mny\":1} | Unknown field 'how_mny'; accepted fields:"
            + " how_many, really, some_name, words.",
        "{\"someName\":\"a\"} | Unknown field 'someName'; accepted fields: how_many,"
            + " really, some_name, words.",
        "{\"some_name\": | The body is not readable as JSON; send one JSON object.",
        "not json | The body is not readable as JSON; send one JSON object.",
        "{\"some_name\":\"a\",\"how_many\":\"many\"} | The field 'how_many' has a value of the wrong type; expected a whole number.",
        "{\"some_name\":\"a\",\"really\":\"perhaps\"} | The field 'really' has a value of the wrong type; expected true or false.",
        "{\"some_name\":{}} | The field 'some_name' has a value of the wrong type; expected a string.",
        "{\"some_name\":\"a\",\"words\":\"one\"} | The field 'words' has a value of the wrong type; expected a list.",
        "{\"some_name\":5} | The field 'some_name' has a value of the wrong type; expected a string.",
        "{\"some_name\":true} | The field 'some_name' has a value of the wrong type; expected a string.",
        "{\"some_name\":\"a\",\"some_name\":\"b\"} | The body is not readable as JSON; send one JSON object.",
        "[1] | The body has the wrong shape; send one JSON object.",
        "[] | The body has the wrong shape; send one JSON object.",
        "1 | The body has the wrong shape; send one JSON object.",
        "\"text\" | The body has the wrong shape; send one JSON object.",
        "null | The body is missing; send one JSON object."
      })
  void aWrongBodyIsAnsweredWithWhatIsAccepted(String body, String sentence) {
    var answer = at("/sample/wish").json(body);
    assertThat(answer.message()).isEqualTo(sentence);
    assertThat(answer.status()).isEqualTo(400);
  }

  @Test
  void aSecondValueBehindTheFirstIsNotSwallowed() {
    var answer = at("/sample/wish").json("{\"some_name\":\"a\"} {\"some_name\":\"b\"}");
    assertThat(answer.status()).isEqualTo(400);
  }

  @Test
  void aMissingBodyIsNamed() {
    var answer = at("/sample/wish").json("");
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.message()).isEqualTo("The body is missing; send one JSON object.");
  }

  @Test
  void aWrongOrMissingParameterIsNamedAndNotRepeated() {
    assertThat(at("/sample/count?number=abc").get().message())
        .isEqualTo("number: expected a whole number.");
    assertThat(at("/sample/count").get().message())
        .isEqualTo("number: missing; expected a whole number.");
    assertThat(at("/sample/count?number=3").get().text()).isEqualTo("3");
  }

  @Test
  void anUnknownParameterIsNamedWithTheAcceptedOnes() {
    var answer = at("/sample/count?nmber=3").get();
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.message())
        .isEqualTo("Unknown query parameter 'nmber'; accepted parameters: number.");
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
    var method = at("/sample/wish").send("PATCH", "");
    assertThat(method.status()).isEqualTo(405);
    assertThat(method.message()).isEqualTo("This address does not accept PATCH.");
    var form = at("/sample/wish").form("some_name", "a");
    assertThat(form.status()).isEqualTo(415);
    assertThat(form.message())
        .isEqualTo("Send the body as JSON, with 'Content-Type: application/json'.");
  }

  @Test
  void aBodyThatIsTooLargeIsRefusedWithTheLimitWhetherItsLengthIsToldOrNot() {
    var large = "{\"some_name\":\"" + "a".repeat(3000) + "\"}";
    for (var answer :
        new Doors.Answer[] {at("/sample/wish").json(large), at("/sample/wish").chunked(large)}) {
      assertThat(answer.status()).isEqualTo(413);
      assertThat(answer.message())
          .isEqualTo(
              "The request is too large; at most 2KB is accepted as the body (HABITLINE_MAX_BODY sets it),"
                  + " 4 KiB as the address and 8 KiB as the headers.");
    }
    assertThat(at("/sample/wish").chunked("{\"some_name\":\"a\"}").status()).isEqualTo(200);
  }

  @Test
  void aDatabaseThatIsAwayIsNotCalledBusy() {
    var away = at("/sample/away").get();
    assertThat(away.status()).isEqualTo(503);
    assertThat(away.header("Retry-After")).isEqualTo("1");
    assertThat(away.message())
        .isEqualTo(
            "The database cannot be reached at the moment; nothing that was acknowledged is lost. Try again shortly.");
    var busy = at("/sample/busy").get();
    assertThat(busy.status()).isEqualTo(503);
    assertThat(busy.message()).startsWith("All database connections are in use");
  }

  @Test
  void aChangeThatMayHaveBeenKeptIsNotToBeRepeatedBlindly() {
    var answer = at("/sample/unconfirmed").json("{}");
    assertThat(answer.status()).isEqualTo(503);
    assertThat(answer.header("Retry-After")).isEmpty();
    assertThat(answer.message())
        .matches(
            "It is not known whether this change was kept, because the database did not confirm it in time\\."
                + " Check whether it is there before you try again\\."
                + " The log has the details under err_[0-9a-f]{24}\\.");
    var page = at("/sample/unconfirmed").browser().json("{}");
    assertThat(page.status()).isEqualTo(503);
    assertThat(page.text()).contains("<title>Problem 503", "It is not known whether this change");
  }

  @Test
  void aMistakeInsideIsToldByANumberAndLoggedWithoutWhatTheRequestHeld() {
    var log = (Logger) LoggerFactory.getLogger(ErrorResponses.class);
    var lines = new ListAppender<ILoggingEvent>();
    lines.start();
    log.addAppender(lines);
    try {
      var answer = at("/sample/broken/12065550100").get();
      assertThat(answer.status()).isEqualTo(500);
      assertThat(answer.message())
          .matches("An internal error occurred. The log has the details under err_[0-9a-f]{24}\\.");

      assertThat(lines.list).hasSize(1);
      var event = lines.list.getFirst();
      var number = answer.message().replaceAll(".*(err_[0-9a-f]{24}).*", "$1");
      assertThat(event.getFormattedMessage())
          .isEqualTo(
              number
                  + ": GET /sample/broken/{phone} failed: java.lang.IllegalStateException,"
                  + " caused by java.lang.RuntimeException");
      var logged = event.getFormattedMessage() + new MessageFreeStackTrace().convert(event);
      assertThat(logged)
          .contains("SampleController.broken", "caused by")
          .doesNotContain("a text of a participant", "12065550100", "\n");
    } finally {
      log.detachAppender(lines);
    }
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
    assertThat(at("/sample/shape").get().text())
        .isEqualTo(
            "{\"some_name\":\"a name\",\"made_at\":\"2026-11-21T07:15:00.500Z\",\"words\":[]}");
  }
}
