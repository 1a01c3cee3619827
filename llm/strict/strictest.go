package strict

// strictestRules are those that every request keeps to, whoever gets it, in the words of the server
// that is known for each. What a single server wants beside that is not among them: the short ids of
// Mistral, turns that alternate, reasoning and signatures that are returned.
var strictestRules = []rule{
	{"model-named", modelNamed, 400, "", "you must provide a model parameter"},
	{"messages-there", messagesThere("system", "developer"), 400, "empty_array", "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead."},
	{"role-known", roleKnown("system", "developer", "user", "assistant", "tool"), 400, "invalid_value", "Invalid value: '{role}'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'."},
	{"keys-known", keysKnown(knownStrictest), 400, "unknown_parameter", "Unknown parameter: '{path}'."},
	{"content-there", contentThere(false), 400, "", "messages[{i}]: missing field `content`"},
	{"content-speaks", contentSpeaks("system", "developer", "user", "assistant", "tool"), 400, "", "messages.{i}: all messages must have non-empty content"},
	{"parts-whole", partsWhole(true), 400, "", "messages: text content blocks must be non-empty"},
	{"images-whole", imagesWhole, 400, "invalid_value", "Invalid 'messages[{i}].content[{part}].image_url.url'. Expected a base64-encoded data URL with an image MIME type (e.g. 'data:image/png;base64,aW1nIGJ5dGVzIGhlcmU='), but got unsupported MIME type '{media}'."},
	{"images-of-user", imagesOfUser, 400, "invalid_value", "Invalid 'messages[{i}]'. Image URLs are only allowed for messages with role 'user', but this message with role '{role}' contains an image URL."},
	{"system-first", systemTogether, 400, "", "System message must be at the beginning."},
	{"user-first", userFirst, 400, "", "Please ensure that function call turn comes immediately after a user turn or after a function response turn."},
	{"call-named", eachCall(call.named), 400, "", "Missing tool call name"},
	{"name-form", eachCall(namePattern(nameStrictest)), 400, "invalid_value", "Invalid 'messages[{i}].tool_calls[{call}].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."},
	{"id-form", eachCall(idPattern(idStrictest)), 400, "", "messages.{i}.content.{call}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]{1,40}$'"},
	{"id-unique", idUnique, 400, "", "messages.{i}: `tool_use` ids must be unique"},
	{"arguments-object", argumentsObject("", ""), 400, "", "invalid tool call arguments"},
	{"result-of-call", resultOfCall, 400, "", "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."},
	{"call-answered", callAnswered, 400, "", "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: {ids}"},
	{"ends-open", endsAnswerable("", ""), 400, "", "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant"},
}

var knownStrictest = known{
	request: knownOpenAI.request,
	messages: map[string]string{
		"system": "role content", "developer": "role content", "user": "role content",
		"assistant": "role content tool_calls", "tool": "role content tool_call_id",
	},
	call: "id type function",
	part: partKeys,
}
