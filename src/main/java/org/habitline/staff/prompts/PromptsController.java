package org.habitline.staff.prompts;

import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.security.annotation.Secured;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import org.habitline.conversation.stored.PromptTexts;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.Reply;

/** Returns the text of a prompt file by the hash that turns record. */
@Controller("/prompts")
@Secured("viewer")
@Tag(name = "Conversations")
final class PromptsController {

  private final PromptTexts texts;

  PromptsController(PromptTexts texts) {
    this.texts = texts;
  }

  @Get("/{sha256}")
  @Operation(
      operationId = "getPromptText",
      summary = "Shows the content of a prompt file at the time when a turn used it",
      description =
          "With a hash from prompt_sha256, the answer is the file itself. With a hash from"
              + " prompt_rendered_sha256, it is what the model read: the file with the flow's texts"
              + " and times filled in.")
  @ApiResponse(responseCode = "200", description = "The name and content of the file")
  @ApiResponse(responseCode = "404", description = "No turn used a prompt file with this hash")
  Reply<PromptTexts.PromptText> prompt(String sha256) {
    return Reply.ok(
        texts
            .find(sha256)
            .orElseThrow(() ->
                ApiProblem.notFound(
                    "No turn used a prompt file with this SHA-256; turns name theirs in prompt_sha256"
                        + " and prompt_rendered_sha256.")));
  }
}
