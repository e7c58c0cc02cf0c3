"""Decimal numbers in many lines at once: eight characters are read as one 64-bit number.

The digits of a word are checked and added up as in D. Lemire, "Quickly parsing eight digits", 2018, with leading
blanks allowed. Where a line is no such number the result says so, and is another: the caller reads it exactly.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["LAST_BYTES", "Array", "Text", "decimal", "every", "faults", "signed"]

Array = npt.NDArray[Any]

_MARGIN = 16  # blanks before a text, so that a word may begin before its first line


class Text:
    """The bytes of a block, to be read at many places.

    Parameters
    ----------
    data : bytes
        Whole lines.

    Attributes
    ----------
    starts, ends : int64 arrays
        Where each line begins, and where its ``\\n`` stands.

    Examples
    --------
    >>> text = Text(b"#1     irq      701 ns\\n#15    irq       93 ns\\n")
    >>> (text.ends - text.starts).tolist()
    [22, 22]
    >>> [column.tolist() for column in text.padded(text.ends - 3)]
    [[701, 93], [False, False]]
    >>> text.numbers(text.starts + 1, text.starts + 1 + text.digits_from(text.starts + 1))[0].tolist()
    [1, 15]
    """

    def __init__(self, data: bytes) -> None:
        self.data = b" " * _MARGIN + data + b" " * 8
        self.bytes = np.frombuffer(self.data, np.uint8)
        self.ends = np.flatnonzero(self.bytes == 10)
        self.starts = np.concatenate(([_MARGIN], self.ends[:-1] + 1)) if len(self.ends) else self.ends
        self._words = np.ndarray((len(self.data) - 7,), "S8", self.data, 0, (1,))

    def words(self, begin: Array) -> Array:
        """Return the eight characters from each place on, as uint64, the first in its lowest byte."""
        return self._words[begin].view("<u8")

    def padded(self, end: Array) -> tuple[Array, Array]:
        """Return the numbers in the eight characters before each place, and where these are not blanks and digits."""
        words = self.words(end - 8)
        return decimal(words), faults(words) != 0

    def numbers(self, begin: Array, end: Array) -> tuple[Array, Array]:
        """Return the numbers that stand between places, and where it is not digits alone, at most 16 of them."""
        width = end - begin
        value, wrong = self._eight(end, np.minimum(width, 8))
        wrong |= (width < 1) | (width > 16)
        if len(wide := np.flatnonzero((width > 8) & ~wrong)):
            more, bad = self._eight(end[wide] - 8, width[wide] - 8)
            value[wide] += more * 10**8
            wrong[wide] |= bad
        return value, wrong

    def _eight(self, end: Array, width: Array) -> tuple[Array, Array]:
        """Numbers of at most eight digits, by where they end."""
        kept = LAST_BYTES[np.clip(width, 0, 8)]
        words = (self.words(end - 8) & kept) | (_ZERO & ~kept)
        return decimal(words), _no_digits(words) != 0

    def digits_from(self, begin: Array) -> Array:
        """Return how many digits stand in a row from each place on; of more than seven only that there are 8."""
        return _leading_digits(self.words(begin))

    def digits_before(self, end: Array) -> Array:
        """Return how many digits stand in a row before each place; of more than seven only that there are 8."""
        return _leading_digits(self.words(end - 8).byteswap())


def every(byte: int) -> np.uint64:
    """Return the byte in all eight places."""
    return np.uint64(int.from_bytes(bytes([byte]) * 8, "little"))


_LOW, _SIX, _HIGH, _DIGIT, _ZERO = every(0x0F), every(0x06), every(0xF0), every(0x10), every(0x30)
_MINUS, _SEVEN_BITS = every(0x2D), every(0x7F)
_BLANK, _OVER, _TOP = every(0x20), every(0x66), every(0x80)
_INNER, _LAST = np.uint64(0x0010101010101010), np.uint64(0x1000000000000000)
_PAIRS, _FOURS, _EIGHT = np.uint64(0x00FF00FF00FF00FF), np.uint64(0x0000FFFF0000FFFF), np.uint64(0xFFFFFFFF)
_TEN, _HUNDRED, _MYRIAD = np.uint64(10), np.uint64(100), np.uint64(10_000)
_1, _2, _4, _8, _16, _32 = (np.uint64(bits) for bits in (1, 2, 4, 8, 16, 32))
LAST_BYTES = np.array([(2**64 - 1) >> 8 * (8 - width) << 8 * (8 - width) for width in range(9)], np.uint64)
"""By number: those bits of a word that are its last so many characters."""


def faults(word: Array) -> Array:
    """Return what is not 0 where the eight characters are not blanks and then at least one digit.

    Examples
    --------
    >>> words = np.array([b"      41", b"      4 ", b"     -41", b"        "]).view("<u8")
    >>> (faults(words) == 0).tolist()
    [True, False, False, False]
    """
    odd = word ^ _BLANK  # 0 for a blank, 0x10 to 0x19 for a digit; in place, since most of the time goes into memory
    bad = odd + _OVER
    bad |= odd
    bad &= _TOP  # more than 0x19
    digit = odd & _DIGIT
    part = digit >> _8
    np.invert(part, out=part)
    part &= digit
    part &= _INNER
    bad |= part  # no blank after a digit
    np.right_shift(digit, _4, out=part)
    np.subtract(digit, part, out=part)  # 0x0f where a digit is
    np.invert(part, out=part)
    part &= odd
    part &= _LOW
    bad |= part  # less than 0x10
    digit &= _LAST
    digit ^= _LAST
    bad |= digit  # a digit at the end
    return bad


def signed(word: Array) -> tuple[Array, Array, Array]:
    """Return words without a minus before their digits, where there was one, and what is not 0 where it stood wrong.

    Examples
    --------
    >>> words, minus, wrong = signed(np.array([b"     -41", b"      41", b"    - 41"]).view("<u8"))
    >>> decimal(words).tolist(), minus.tolist(), ((wrong | faults(words)) != 0).tolist()
    ([41, 41, 41], [True, False, True], [False, False, True])
    """
    other = word ^ _MINUS
    minus = (~(((other & _SEVEN_BITS) + _SEVEN_BITS) | other | _SEVEN_BITS)) >> np.uint64(7)  # 1 in its byte
    word = word ^ (minus * np.uint64(ord("-") ^ ord(" ")))
    return word, minus != 0, (minus << np.uint64(12)) & ~word & _DIGIT  # the character after it is a digit


def _no_digits(word: Array) -> Array:
    """Not 0 where one of eight characters is no digit."""
    return ((word & _HIGH) ^ _ZERO) | (((word & _LOW) + _SIX) & _HIGH)


def decimal(word: Array) -> Array:
    """Return the numbers that eight characters show; what is no digit but a blank or NUL counts as 0.

    Examples
    --------
    >>> decimal(np.array([b"      41"]).view("<u8")).tolist()
    [41]
    """
    word = word & _LOW
    for ten, shift, kept in ((_TEN, _8, _PAIRS), (_HUNDRED, _16, _FOURS), (_MYRIAD, _32, _EIGHT)):
        higher = word >> shift
        word *= ten
        word += higher
        word &= kept
    return word.view(np.int64)


def _leading_digits(word: Array) -> Array:
    """How many of the eight characters, from the lowest byte on, are digits."""
    no = _no_digits(word)
    for bits in (_4, _2, _1):  # any bit of a byte, in its lowest
        no |= no >> bits
    first = no & every(1)
    lowest = first & (~first + _1)
    return np.where(first == 0, 8, np.bitwise_count(lowest - _1) >> 3).astype(np.int64)
