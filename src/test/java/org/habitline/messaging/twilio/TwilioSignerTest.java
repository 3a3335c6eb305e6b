package org.habitline.messaging.twilio;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The vectors are those of Twilio's own libraries. */
final class TwilioSignerTest {

  private static Stream<JsonNode> vectors(boolean valid) throws IOException {
    try (var file =
        Objects.requireNonNull(
            TwilioSignerTest.class.getResourceAsStream("/twilio-signature-vectors.json"))) {
      var all = new JsonMapper().readTree(file);
      return StreamSupport.stream(all.spliterator(), false)
          .filter(vector -> vector.path("valid").asBoolean() == valid);
    }
  }

  static Stream<Arguments> rightSignatures() throws IOException {
    return vectors(true).map(TwilioSignerTest::named);
  }

  static Stream<Arguments> wrongSignatures() throws IOException {
    return vectors(false).map(TwilioSignerTest::named);
  }

  private static Arguments named(JsonNode vector) {
    return Arguments.of(Named.of(vector.path("name").asText(), vector));
  }

  @ParameterizedTest
  @MethodSource("rightSignatures")
  void whatTwilioSignsIsSignedAlike(JsonNode vector) {
    assertThat(signatures(vector)).contains(vector.path("signature").asText());
  }

  @ParameterizedTest
  @MethodSource("wrongSignatures")
  void whatTwilioDoesNotSignIsNotSignedSo(JsonNode vector) {
    assertThat(signatures(vector)).doesNotContain(vector.path("signature").asText());
  }

  @Test
  void theHashOfABodyStandsInTheUrl() throws IOException {
    var json = vectors(true).filter(vector -> vector.has("body")).findFirst().orElseThrow();
    var url = json.path("url").asText();
    var bare = url.substring(0, url.indexOf("&bodySHA256="));
    assertThat(TwilioSigner.withBodyHash(bare, json.path("body").asText())).isEqualTo(url);
  }

  /** A vector gives the URL as the receiver sees it; Twilio may have named the port or not. */
  private static List<String> signatures(JsonNode vector) {
    var seen = vector.path("url").asText();
    var port = URI.create(seen).getPort();
    var withoutPort = port < 0 ? seen : seen.replace(":" + port, "");
    return Stream.of(seen, withoutPort, withoutPort.replace(".com/", ".com:443/"))
        .map(url -> signature(vector, url))
        .toList();
  }

  private static String signature(JsonNode vector, String url) {
    var token = vector.path("token").asText();
    return vector.has("body")
        ? TwilioSigner.sign(token, url)
        : TwilioSigner.sign(token, url, form(vector.path("params")));
  }

  private static FormFields form(JsonNode params) {
    var form = FormFields.of();
    for (var param : params.properties()) {
      var values = param.getValue();
      for (var value : values.isArray() ? values : List.of(values)) {
        form = form.and(param.getKey(), value.asText());
      }
    }
    return form;
  }
}
