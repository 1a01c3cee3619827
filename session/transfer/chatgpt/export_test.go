package chatgpt

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"winnow/session/transfer/conversation"
	"winnow/session/transfer/rawjson"
)

// zipped is an archive of files, each named before its text.
func zipped(t *testing.T, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		f, err := w.Create(files[i])
		if err == nil {
			_, err = io.WriteString(f, files[i+1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// saidIn is a file with one conversation of one message, which shows an image.
func saidIn(id, pointer string) string {
	return `[{"conversation_id":"` + id + `","mapping":{"q":{"message":{"id":"q","create_time":1,"author":{"role":"user"},"content":{"content_type":"multimodal_text","parts":["look",{"content_type":"image_asset_pointer","asset_pointer":"` + pointer + `"}]}}}}}]`
}

func TestExportIsReadFromItsArchive(t *testing.T) {
	file := zipped(t, "user.json", `{}`, "chat.html", "<html>",
		"x/conversations-001.json", saidIn("second", "sediment://file_00ab"),
		"x/conversations-000.json", saidIn("first", "file-service://file-Cat"),
		"x/file-Cat-7c1a.gif", onePoint, "x/user-1/file_00ab-7c1a.dat", "no image",
		"x/shared_conversations.json", `[{"id":"s"}]`)
	x, err := Open(bytes.NewReader(file), int64(len(file)), false)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"first", "second"} {
		c, err := x.Next()
		if err != nil || c.Index != i || c.Session.Origin != want || len(c.Messages) != 1 {
			t.Fatalf("conversation %d is %+v, %v", i, c, err)
		}
		p := c.Messages[0].Parts[0]
		if is := string(p.Data) == onePoint && p.MediaType == "image/gif" && p.Name == "file-Cat-7c1a.gif"; is != (i == 0) || is == (len(c.Remarks) == 1) {
			t.Errorf("conversation %d shows %+v, %+v", i, p, c.Remarks)
		}
	}
	if _, err := x.Next(); err != io.EOF {
		t.Errorf("behind the last conversation: %v", err)
	}
}

func TestArchiveThatIsNoExportSaysSo(t *testing.T) {
	whole := zipped(t, "conversations.json", saidIn("c", ""))
	for name, tc := range map[string]struct {
		file []byte
		want error
	}{
		"another archive": {zipped(t, "a.txt", "words"), ErrNoExport},
		"a cut one":       {whole[:20], ErrBrokenArchive},
		"its last byte":   {whole[:len(whole)-1], ErrBrokenArchive},
		"its beginning":   {[]byte("PK\x03\x04"), ErrBrokenArchive},
	} {
		if _, err := Open(bytes.NewReader(tc.file), int64(len(tc.file)), false); !errors.Is(err, tc.want) {
			t.Errorf("%s: %v, want %v", name, err, tc.want)
		}
	}
}

// TestExportWithADamagedFileReadsTheOthers flips a byte of the first file's compressed text.
func TestExportWithADamagedFileReadsTheOthers(t *testing.T) {
	long := strings.Replace(saidIn("a", ""), "look", strings.Repeat("a long text ", 4000), 1)
	file := zipped(t, "conversations-000.json", long, "conversations-001.json", saidIn("b", ""))
	at := bytes.Index(file, []byte("conversations-000.json")) + 40
	file[at] ^= 0xFF
	x, err := Open(bytes.NewReader(file), int64(len(file)), false)
	if err != nil {
		t.Fatal(err)
	}
	var read, broken []string
	for {
		c, err := x.Next()
		if err != nil {
			break
		}
		if c.Broken != nil {
			broken = append(broken, c.Broken.What)
			continue
		}
		read = append(read, c.Session.Origin)
	}
	if len(broken) == 0 || !strings.Contains(broken[len(broken)-1], "conversations-000.json cannot be read: ") || len(read) == 0 || read[len(read)-1] != "b" {
		t.Errorf("read %q, broken %q", read, broken)
	}
}

// FuzzExport reads any bytes as an archive, and must end.
func FuzzExport(f *testing.F) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range []string{"conversations.json", "conversations-001.json", "file-a.gif"} {
		if part, err := w.Create(name); err == nil {
			io.WriteString(part, saidIn("c", "file-service://file-a"))
		}
	}
	w.Close()
	f.Add(b.Bytes())
	f.Add(b.Bytes()[:b.Len()-10])
	f.Add([]byte("SQLite format 3\x00"))
	f.Add([]byte(`[{"a":{"b":[`))
	f.Fuzz(func(t *testing.T, file []byte) {
		x, err := Open(bytes.NewReader(file), int64(len(file)), false)
		for i := 0; err == nil; i++ {
			var c conversation.Conversation
			if c, err = x.Next(); err == nil && c.Index != i {
				t.Fatalf("conversation %d of %q has index %d", i, file, c.Index)
			}
			if i > 1<<20 {
				t.Fatalf("%q has no end", file)
			}
		}
	})
}

// What an archive says of the sizes of its files is not trusted.
func TestTooLargeExportEndsAnImport(t *testing.T) {
	file := zipped(t, "conversations.json", "["+strings.Repeat(" ", 100_000)+"]")
	x, err := Open(bytes.NewReader(file), int64(len(file)), false)
	if err != nil || x.TooLarge() {
		t.Fatalf("an archive of 100 kB: %v, too large: %v", err, x.TooLarge())
	}
	x.left = 1000
	if _, err := x.Next(); !errors.Is(err, rawjson.ErrTooLarge) {
		t.Errorf("more than may be read: %v", err)
	}
	x.files[0].UncompressedSize64 = rawjson.Largest + 1
	said := x.TooLarge()
	if x.large = true; !said || x.TooLarge() {
		t.Error("an archive that says that it is too large is not, or is with Large")
	}
}
