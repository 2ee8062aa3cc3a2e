"""Tests of path contexts. The oracle is the contexts of getKey in GLUECode's appendix A.2."""

from __future__ import annotations

import pytest

from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.views.paths import (
    build_paths,
    format_code2seq_line,
    format_code2vec_line,
    paths_of_method,
)

GET_KEY = b"""class CAesEncrypt {
public static Key getKey(String ahex)
{
  try
  {
    byte[] bytes = CHexString.toByteArr(ahex);
    SecretKeySpec skeySpec = new SecretKeySpec(bytes, "AES");
    return skeySpec;
  }
  catch(Exception e)
  {
    System.err.println("CAesEncrypt.getKey: " + e);
    return null;
  }
}
}"""

# The paper prints the first five contexts and the last three.
PRINTED = {
    "code2vec": (
        "get|key key,362150388,getKey key,714300710,ahex key,-1248995371,string "
        "getKey,-1103308019,ahex getKey,1228363196,string",
        "e,-850278433,println e,910578178,null println,-1488546123,null",
    ),
    "code2seq": (
        "get|key key,Cls0|Mth|Nm1,getKey key,Cls0|Mth|Prm|VDID0,ahex key,Cls0|Mth|Prm|Cls1,string "
        "getKey,Nm1|Mth|Prm|VDID0,ahex getKey,Nm1|Mth|Prm|Cls1,string",
        "e,Nm1|Plus2|Cal|Nm3,println e,Nm1|Plus2|Cal|Ex|Bk|Ret|Null0,null "
        "println,Nm3|Cal|Ex|Bk|Ret|Null0,null",
    ),
}


@pytest.mark.parametrize("style", ["code2vec", "code2seq"])
def test_contexts_of_the_papers_example(style: str) -> None:
    found_paths = paths_of_method(build_paths(JavaFile(GET_KEY), [0], max_contexts=None), 0)
    line = (format_code2vec_line if style == "code2vec" else format_code2seq_line)(
        found_paths, "gluecode"
    )
    first, last = PRINTED[style]
    assert line.startswith(f"{first} ")
    assert line.endswith(f" {last}")


def test_contexts_as_the_original_extractor_prints_them() -> None:
    # The original extractor prints METHOD_NAME where the paper shows the name.
    found_paths = paths_of_method(build_paths(JavaFile(GET_KEY), [0], max_contexts=None), 0)
    published_line = format_code2vec_line(found_paths, "gluecode").replace("getKey", "METHOD_NAME")
    assert (
        format_code2vec_line(found_paths, "code2vec")
        == format_code2vec_line(found_paths)
        == published_line
    )
