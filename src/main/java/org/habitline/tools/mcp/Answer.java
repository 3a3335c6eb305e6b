package org.habitline.tools.mcp;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.modelcontextprotocol.spec.McpSchema.AudioContent;
import io.modelcontextprotocol.spec.McpSchema.BlobResourceContents;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.Content;
import io.modelcontextprotocol.spec.McpSchema.EmbeddedResource;
import io.modelcontextprotocol.spec.McpSchema.ImageContent;
import io.modelcontextprotocol.spec.McpSchema.ResourceLink;
import io.modelcontextprotocol.spec.McpSchema.TextContent;
import io.modelcontextprotocol.spec.McpSchema.TextResourceContents;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.stream.Collectors;
import org.habitline.tools.ToolOutcome;
import org.jspecify.annotations.Nullable;

/**
 * Converts the result of a call to what the model reads: its texts, or its structured content if it
 * has no text. Images and other data are only described.
 */
final class Answer {

  /** The longest result that the model is shown, in characters. */
  static final int LONGEST = 16_000;

  private static final JsonMapper JSON = new JsonMapper();

  private Answer() {}

  static ToolOutcome of(CallToolResult result) {
    var content = result.content();
    var text =
        content == null
            ? ""
            : content.stream()
                .filter(Objects::nonNull)
                .map(Answer::shown)
                .filter(part -> !part.isBlank())
                .collect(Collectors.joining("\n"));
    var whole = text.isBlank() ? structured(result.structuredContent()) : text;
    if (Boolean.TRUE.equals(result.isError())) {
      return ToolOutcome.error(
          whole.isBlank() ? "The tool failed and did not say why." : bounded(whole));
    }
    var outcome = ToolOutcome.success();
    outcome.result().put("content", bounded(whole));
    return outcome;
  }

  private static String shown(Content content) {
    return switch (content) {
      case TextContent text -> Objects.requireNonNullElse(text.text(), "");
      case ImageContent image -> data("an image", image.mimeType(), image.data());
      case AudioContent audio -> data("a sound", audio.mimeType(), audio.data());
      case EmbeddedResource resource ->
          switch (resource.resource()) {
            case TextResourceContents text -> Objects.requireNonNullElse(text.text(), "");
            case BlobResourceContents blob -> data("a file", blob.mimeType(), blob.blob());
            case null, default -> "[content that cannot be shown]";
          };
      case ResourceLink link -> "[a link to " + link.name() + ": " + link.uri() + "]";
      default -> "[content that cannot be shown]";
    };
  }

  private static String data(String what, @Nullable String type, @Nullable String base64) {
    var length = base64 == null ? 0 : base64.length() / 4 * 3;
    return "[%s, %s, about %d bytes, which cannot be shown]"
        .formatted(what, Objects.requireNonNullElse(type, "of an unknown type"), length);
  }

  private static String structured(@Nullable Object content) {
    return content == null ? "" : JSON.valueToTree(content).toString();
  }

  /** Cuts a text that is too long, and replaces what cannot be stored or sent. */
  static String bounded(String text) {
    var whole =
        new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8).replace("\0", "");
    if (whole.length() <= LONGEST) {
      return whole;
    }
    var end = Character.isHighSurrogate(whole.charAt(LONGEST - 1)) ? LONGEST - 1 : LONGEST;
    return whole.substring(0, end)
        + "… [cut off here; the whole has "
        + whole.length()
        + " characters]";
  }
}
