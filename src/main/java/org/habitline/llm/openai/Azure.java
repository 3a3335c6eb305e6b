package org.habitline.llm.openai;

import com.openai.azure.AzureOpenAIServiceVersion;
import com.openai.azure.AzureUrlPathMode;
import com.openai.azure.credential.AzureApiKeyCredential;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import java.net.URI;
import java.util.List;
import java.util.Optional;

/**
 * Sets the client up for Azure OpenAI. Azure reads the key from the header {@code api-key}. Its URL
 * names a deployment, in place of the model, and a version of the API. A base URL that ends in
 * {@code /openai/v1} is Azure's newer form and names neither.
 */
final class Azure {

  private static final List<String> HOSTS =
      List.of(
          ".openai.azure.com",
          ".services.ai.azure.com",
          ".cognitiveservices.azure.com",
          ".azure-api.net");

  private Azure() {}

  static boolean isHost(String host) {
    return HOSTS.stream().anyMatch(host::endsWith);
  }

  /**
   * Returns whether the settings describe Azure: the host is Azure's, or they name a version of its
   * API for a gateway in front of it.
   */
  static boolean isMeant(Optional<URI> baseUrl, Optional<String> apiVersion) {
    return apiVersion.isPresent() || baseUrl.map(URI::getHost).filter(Azure::isHost).isPresent();
  }

  static void set(OpenAIOkHttpClient.Builder client, String key, Optional<String> apiVersion) {
    client.credential(AzureApiKeyCredential.create(key));
    apiVersion.ifPresent(version ->
        client
            .azureServiceVersion(AzureOpenAIServiceVersion.fromString(version))
            .azureUrlPathMode(AzureUrlPathMode.LEGACY));
  }
}
