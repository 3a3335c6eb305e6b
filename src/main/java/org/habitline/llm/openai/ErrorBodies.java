package org.habitline.llm.openai;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import okhttp3.Interceptor;
import okhttp3.Response;
import okhttp3.ResponseBody;

/**
 * Rewrites other servers' errors in OpenAI's form, {@code {"error":{…}}}, the only one that the
 * client reads. vLLM and FastAPI leave out the outer object, Ollama puts a string in it, and Gemini
 * sends a list with one error.
 */
final class ErrorBodies implements Interceptor {

  private static final JsonMapper JSON = new JsonMapper();
  private static final int FIRST_ERROR = 400;
  private static final int LONGEST = 1 << 16;

  @Override
  public Response intercept(Chain chain) throws IOException {
    var response = chain.proceed(chain.request());
    var body = response.body();
    if (response.code() < FIRST_ERROR || body == null) {
      return response;
    }
    var start = response.peekBody(LONGEST).string();
    var error = error(start);
    if (!error.isObject()) {
      return response;
    }
    var type = body.contentType();
    body.close();
    return response
        .newBuilder()
        .body(ResponseBody.create(JSON.createObjectNode().set("error", error).toString(), type))
        .build();
  }

  /** Returns the error, or a node that is not an object if the body needs no rewriting. */
  private static JsonNode error(String body) {
    try {
      var tree = JSON.readTree(body);
      var one = tree.isArray() ? tree.path(0) : tree;
      if (one.path("error").isObject()) {
        return tree.isArray() ? one.path("error") : JSON.missingNode();
      }
      return one.path("error").isTextual()
          ? JSON.createObjectNode().set("message", one.path("error"))
          : one;
    } catch (JsonProcessingException e) {
      return JSON.missingNode();
    }
  }
}
