package llmtest

// callFaults are calls of tools that are damaged in the ways of history's catalogue, C1 to C15, as far as a server
// can cause them.
func callFaults() []Fault {
	id, name, whole := `"id":"`+CallID+`"`, `"function":{"name":"`+Tool+`"`, `"function":{"name":"`+Tool+
		`","arguments":"{\"place\":\"the harbour\"}"}`
	calls := func(fault, what, stream string) Fault {
		return Fault{Name: fault, What: what, Stream: stream, End: Closes, Whole: true, At: []Stage{Calls}, Times: 1}
	}
	with := func(arguments string) string {
		return call(`"index":0,`+id+`,`+name+`,"arguments":`+arguments+`}`) + finished("tool_calls") + done
	}
	return []Fault{
		calls("call-broken", "C1: the arguments are not JSON", with(`"{\"place\": \"C:\\Users\\me\", 'port': 9,"`)),
		calls(
			"call-limit", "C1: the arguments break off at the length limit",
			call(`"index":0,`+id+`,`+name+`,"arguments":"{\"place\":\"the har"}`)+finished("length")+done,
		),
		calls("call-empty", "C2: the arguments are empty", with(`""`)),
		calls(
			"call-absent", "C2: there are no arguments", call(`"index":0,`+id+`,`+name+`}`)+finished("tool_calls")+done,
		),
		calls("call-null", "C3: the arguments are null", with(`"null"`)),
		calls("call-list", "C3: the arguments are a list", with(`"[\"the harbour\"]"`)),
		calls("call-twice", "C3: the arguments are encoded twice", with(`"\"{\\\"place\\\":\\\"the harbour\\\"}\""`)),
		calls("call-object", "the arguments are an object and no text", with(`{"place":"the harbour"}`)),
		calls(
			"call-glued", "C4: two calls on one index, whose arguments run together",
			call(`"index":0,`+id+`,`+whole)+call(`"index":0,"function":{"arguments":"{\"place\":\"the pier\"}"}`)+
				finished("tool_calls")+done,
		),
		calls(
			"call-index", "two calls on one index, each with an id",
			call(`"index":0,`+id+`,`+whole)+call(`"index":0,"id":"call_2",`+whole)+finished("tool_calls")+done,
		),
		calls(
			"call-no-index", "calls without an index, as Gemini sends them",
			call(id+`,`+whole)+call(`"id":"call_2",`+whole)+finished("tool_calls")+done,
		),
		calls(
			"call-same-id", "C7: two calls with one id",
			call(`"index":0,`+id+`,`+whole)+call(`"index":1,`+id+`,`+whole)+finished("tool_calls")+done,
		),
		calls("call-no-id", "C7: a call without an id", call(`"index":0,"id":"",`+whole)+finished("tool_calls")+done),
		calls(
			"call-bad-id", "C7: an id with other characters",
			call(`"index":0,"id":"functions.lookup:0 é",`+whole)+finished("tool_calls")+done,
		),
		calls(
			"call-no-name", "C11: a call without a name",
			call(`"index":0,`+id+`,"function":{"arguments":"{}"}`)+finished("tool_calls")+done,
		),
		calls(
			"call-unknown", "a tool that does not exist",
			call(`"index":0,`+id+`,"function":{"name":"read_mind","arguments":"{}"}`)+finished("tool_calls")+done,
		),
		calls(
			"call-bad-name", "a name with other characters",
			call(`"index":0,`+id+`,"function":{"name":"look up!","arguments":"{}"}`)+finished("tool_calls")+done,
		),
		calls("call-nul", "C14: NUL in the arguments", with(`"{\"place\":\"the\u0000 harbour\"}"`)),
		calls(
			"call-bytes", "C14: bytes that are not UTF-8 in the arguments",
			with("\"{\\\"place\\\":\\\"the \xff\xfe harbour\\\"}\""),
		),
		calls(
			"call-stop", "a call, and the finish reason is stop", call(`"index":0,`+id+`,`+whole)+finished("stop")+done,
		),
		calls(
			"call-no-finish", "C11: a call, and the stream ends without saying that it is over",
			call(`"index":0,`+id+`,`+whole),
		),
	}
}
