package org.habitline.whole;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.habitline.whole.Asked.Answer;

/** What holds for every answer, whatever was asked. */
final class Manners {

  /** What every operation may answer, as the head of the document says once for all. */
  private static final Set<Integer> EVERYWHERE = Set.of(401, 403, 413, 415, 429);

  private static final int SERVER_ERROR = 500;
  private static final int LONGEST_SENTENCE = 2_000;

  private static final Pattern INSIDES =
      Pattern.compile(
          "\\b(?:java|javax|jakarta|io\\.micronaut|io\\.netty|reactor|com\\.fasterxml|org\\.habitline|org\\.h2|org\\.postgresql)\\.[a-zA-Z]"
              + "|[a-z]Exception\\b|\\tat |\\bSQLState\\b|\\bNullPointer|\\bSELECT .* FROM\\b|\\bINSERT INTO\\b");

  private final ApiDocument document;

  Manners(ApiDocument document) {
    this.document = document;
  }

  /** Returns what is wrong with an answer, in sentences; nothing if it is as it should be. */
  List<String> complaints(Answer answer) {
    var complaints = new ArrayList<String>();
    headers(answer, complaints);
    var path = answer.asked().rawPath();
    var operation = document.operation(answer.asked().method(), path);
    if (answer.status() >= 400 && !path.startsWith("/webhooks/") && !path.startsWith("/health")) {
      refusal(answer, complaints);
    }
    if (answer.status() >= 400 && tellsInsides(answer.text())) {
      complaints.add("tells what is inside: " + answer.text());
    }
    operation.ifPresent(it -> documented(it, answer, complaints));
    return complaints;
  }

  private static void headers(Answer answer, List<String> complaints) {
    expect(answer, "X-Content-Type-Options", "nosniff", complaints);
    expect(answer, "X-Frame-Options", "DENY", complaints);
    expect(answer, "Referrer-Policy", "same-origin", complaints);
    var policy = answer.header("Content-Security-Policy");
    if (!policy.contains("default-src 'self'")
        || !policy.contains("frame-ancestors 'none'")
        || policy.contains("unsafe")) {
      complaints.add("has the Content-Security-Policy '" + policy + "'");
    }
    if (!answer.asked().target().startsWith("/assets/")
        && !answer.header("Cache-Control").contains("no-store")) {
      complaints.add("may be cached: Cache-Control is '" + answer.header("Cache-Control") + "'");
    }
  }

  private static void expect(Answer answer, String header, String value, List<String> complaints) {
    if (!answer.header(header).equals(value)) {
      complaints.add("has " + header + " '" + answer.header(header) + "' and not '" + value + "'");
    }
  }

  private static void refusal(Answer answer, List<String> complaints) {
    if (answer.is("text/html")) {
      if (!answer.text().contains("<main")) {
        complaints.add("refuses without a page");
      }
      return;
    }
    var json = answer.json();
    if (!answer.is("application/json")
        || json.size() != 2
        || !json.path("status").asText().equals("error")
        || !json.path("message").isTextual()) {
      complaints.add("refuses without the envelope: " + answer.text());
      return;
    }
    var sentence = json.path("message").textValue();
    if (sentence.isBlank()
        || !sentence.endsWith(".")
        || !sentence.contains(" ")
        || sentence.length() > LONGEST_SENTENCE
        || sentence.contains("\n")) {
      complaints.add("refuses without a sentence: " + sentence);
    }
  }

  private void documented(ApiDocument.Operation operation, Answer answer, List<String> complaints) {
    var status = answer.status();
    if (!operation.statuses().contains(status) && !everywhere(operation, status)) {
      complaints.add("answers " + status + ", which is not documented: " + answer.text());
    }
    if (answer.is("application/json")) {
      document
          .answer(operation, status)
          .ifPresentOrElse(
              schema ->
                  schema
                      .validate(answer.json())
                      .forEach(message -> complaints.add("is not as documented: " + message)),
              () -> {
                if (status < 300) {
                  complaints.add("answers JSON with " + status + " that is not documented");
                }
              });
    }
  }

  /**
   * A 400 without a body or a query is the unknown query parameter or the number in the path that
   * is none; a 405 or 406 asks for what is not there.
   */
  private static boolean everywhere(ApiDocument.Operation operation, int status) {
    return EVERYWHERE.contains(status)
        || status == 406
        || (status == 400 && !operation.readsSomething());
  }

  static boolean tellsInsides(String refusal) {
    return INSIDES.matcher(refusal).find();
  }

  static boolean isFailure(Answer answer) {
    return answer.status() >= SERVER_ERROR;
  }
}
