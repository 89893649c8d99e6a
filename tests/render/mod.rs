mod toon;
