"""Oracle: the contexts of getKey that GLUECode prints in its appendix A.2."""

from __future__ import annotations

import pytest

from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.views.paths import code2seq_line, code2vec_line, method_paths, paths

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
def test_the_papers_own_example(style: str) -> None:
    found = method_paths(paths(JavaFile(GET_KEY), [0], most=None), 0)
    line = (code2vec_line if style == "code2vec" else code2seq_line)(found, "gluecode")
    first, last = PRINTED[style]
    assert line.startswith(f"{first} ")
    assert line.endswith(f" {last}")


def test_as_the_extractor_itself_prints_it() -> None:
    # The original has METHOD_NAME where the paper put the name back.
    found = method_paths(paths(JavaFile(GET_KEY), [0], most=None), 0)
    theirs = code2vec_line(found, "gluecode").replace("getKey", "METHOD_NAME")
    assert code2vec_line(found, "code2vec") == code2vec_line(found) == theirs
