#!/usr/bin/env bash
# Makes the outputs beside this script by running the real tools on small projects that pass and fail.
#
#   TOOLS=<folder with npm/node_modules and py/bin> tests/review/output/make.sh [name...]
#
# Needs: cargo, go, python with pytest, ruff, mypy, flake8, pylint, black, bandit, pyright and behave, node with jest, vitest, mocha,
# ava, jasmine, typescript, eslint, prettier and biome, java with maven and gradle, ruby with rspec and minitest, php with phpunit,
# perl, lua with busted, bats, shellcheck, elixir, gcc, make, cmake, cppcheck, valgrind, curl, docker, sqlite3, git.
# Outputs of tools that are not installed stay as they are. Paths of the machine are replaced.
set -u
here=$(cd "$(dirname "$0")" && pwd)
node=${TOOLS:-}/npm/node_modules/.bin
py=${TOOLS:-}/py/v/bin
work=$(mktemp -d)/shop
mkdir -p "$work"
only=" $* "
export NO_COLOR=1 CI=1 PYTHONDONTWRITEBYTECODE=1 LC_ALL=C.UTF-8 CARGO_TERM_COLOR=never GOFLAGS=-mod=mod
unset CARGO_TARGET_DIR

# output NAME FOLDER COMMAND: keeps what the command prints, and its exit code where the command says so.
output() {
  local name=$1 folder=$2; shift 2
  [ "$only" = "  " ] || [[ $only == *" $name "* ]] || return 0
  mkdir -p "$work/$folder"
  if (cd "$work/$folder" && timeout 300 bash -c "$*") >"$work.out" 2>&1 </dev/null || true; then
    sed -E -e "s#(/private)?$work#/home/dev/shop#g" -e "s#${TOOLS:-/nowhere}/(npm|py)[^ :)]*/(node_modules|lib/python[0-9.]+)#/home/dev/\2#g" \
      -e "s#${TOOLS:-/nowhere}#/home/dev/tools#g" -e "s#${HOME:-/nowhere}/#/home/dev/#g" -e 's#\x1b\[[0-9;]*[A-Za-z]##g' -e "s#$(hostname)#devbox#g" -e '/^npm warn/d' -e 's#port 879[0-9]#port 8080#g'  \
      -e 's#[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+:[0-9]{4,5}#127.0.0.1:8080#g' "$work.out" | tr -d '\r' | head -c 6000 >"$here/$name.txt"
  fi
}
file() { mkdir -p "$work/$(dirname "$1")"; cat >"$work/$1"; }

# Rust
file rust/Cargo.toml <<<$'[package]\nname = "cart"\nversion = "0.1.0"\nedition = "2021"'
file rust/src/lib.rs <<<$'pub fn total(prices: &[u32]) -> u32 {\n    prices.iter().sum()\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn adds_prices() {\n        assert_eq!(super::total(&[2, 3]), 5);\n    }\n}'
output cargo-test-pass rust 'cargo test --offline -q 2>&1; true'
output cargo-test-pass-loud rust 'cargo test --offline'
sed -i 's/, 5);/, 6);/' "$work/rust/src/lib.rs"
output cargo-test-fail rust 'cargo test --offline'
file rust/src/lib.rs <<<$'pub fn total(prices: &[u32]) -> u32 {\n    let unused = 3;\n    prices.len()\n}'
output cargo-check-fail rust 'cargo check --offline'
output cargo-clippy rust 'sed -i "s/prices.len()/return prices.iter().sum();/" src/lib.rs; cargo clippy --offline'
file panic/main.rs <<<$'fn main() {\n    let prices: Vec<u32> = Vec::new();\n    println!("{}", prices[3]);\n}'
output rust-panic panic 'rustc -o main main.rs && ./main'

# Go
file go/go.mod <<<$'module shop\n\ngo 1.19'
file go/cart.go <<<$'package shop\n\nfunc Total(prices []int) int {\n\tsum := 0\n\tfor _, price := range prices {\n\t\tsum += price\n\t}\n\treturn sum\n}'
file go/cart_test.go <<<$'package shop\n\nimport "testing"\n\nfunc TestTotal(t *testing.T) {\n\tif got := Total([]int{2, 3}); got != 5 {\n\t\tt.Errorf("Total = %d, want 5", got)\n\t}\n}'
output go-test-pass go 'go test ./...'
output go-test-pass-verbose go 'go test -v ./...'
sed -i 's/+= price/+= price + 1/' "$work/go/cart.go"
output go-test-fail go 'go test ./...'
file goroutine/main.go <<<$'package main\n\nfunc main() {\n\tvar prices []int\n\tprintln(prices[3])\n}'
output go-panic goroutine 'go run main.go'
file govet/go.mod <<<$'module vet\n\ngo 1.19'
file govet/main.go <<<$'package main\n\nimport "fmt"\n\nfunc main() {\n\tfmt.Printf("%d\\n", "three")\n}'
output go-vet govet 'go vet ./...'
file gobuild/main.go <<<$'package main\n\nfunc main() {\n\tprice := total(3)\n}'
output go-build-fail gobuild 'go build main.go'

# Python
file py/cart.py <<<$'def total(prices):\n    return sum(prices)\n'
file py/test_cart.py <<<$'from cart import total\n\n\ndef test_adds_prices():\n    assert total([2, 3]) == 5\n\n\ndef test_empty_cart():\n    assert total([]) == 0\n'
output pytest-pass py "$py/python -m pytest -p no:cacheprovider"
output pytest-pass-quiet py "$py/python -m pytest -q -p no:cacheprovider"
file py/test_unit.py <<<$'import unittest\n\nfrom cart import total\n\n\nclass CartTest(unittest.TestCase):\n    def test_adds_prices(self):\n        self.assertEqual(total([2, 3]), 5)\n\n\nif __name__ == "__main__":\n    unittest.main()\n'
output unittest-pass py "$py/python -m unittest test_unit"
file py/cart.py <<<$'def total(prices):\n    return sum(prices) + 1\n'
output pytest-fail py "$py/python -m pytest -p no:cacheprovider test_cart.py"
output unittest-fail py "$py/python -m unittest -v test_unit"
file py/broken.py <<<$'import os\nimport json\n\ndef load(path: str) -> dict:\n    return json.loads(open(path).read())["items"][0]["price"] + None\n\nload("missing.json")\n'
output python-traceback py "$py/python broken.py"
output ruff-fail py "$py/ruff check --no-cache broken.py"
output ruff-fail-concise py "$py/ruff check --no-cache --output-format concise broken.py"
output ruff-pass py "$py/ruff check --no-cache cart.py"
output mypy-fail py "echo 'total: int = \"three\"' > typed.py; $py/mypy --cache-dir /dev/null typed.py"
output mypy-pass py "$py/mypy --cache-dir /dev/null cart.py"
output flake8-fail py "$py/flake8 broken.py"
output pylint-fail py "$py/pylint --disable=C broken.py"
output black-fail py "$py/black --check broken.py"
output bandit py "echo 'import subprocess; subprocess.call(input(), shell=True)' > unsafe.py; $py/bandit -q unsafe.py 2>/dev/null"
output coverage py "$py/coverage run -m unittest -q test_unit; $py/coverage report"
output pyright-fail py "echo 'total: int = \"three\"' > typed.py; $py/pyright typed.py 2>/dev/null"
file behave/features/cart.feature <<<$'Feature: cart\n  Scenario: adds prices\n    Given an empty cart\n    When I add 3\n    Then the total is 4'
file behave/features/steps/cart.py <<<$'from behave import given, when, then\n\n@given("an empty cart")\ndef empty(context):\n    context.total = 0\n\n@when("I add {price:d}")\ndef add(context, price):\n    context.total += price\n\n@then("the total is {total:d}")\ndef check(context, total):\n    assert context.total == total, context.total'
output behave-fail behave "$py/behave --no-color"

# JavaScript and TypeScript
ln -sfn "${TOOLS:-}/npm/node_modules" "$work/node_modules"
file js/package.json <<<$'{"name": "shop", "version": "1.0.0", "scripts": {"test": "node --test"}}'
file js/cart.js <<<$'exports.total = (prices) => prices.reduce((sum, price) => sum + price, 0);'
file js/cart.test.js <<<$'const { total } = require("./cart");\n\ntest("adds prices", () => {\n  expect(total([2, 3])).toBe(5);\n});'
output jest-pass js "$node/jest --ci cart.test.js"
file vitest/cart.test.js <<<$'import { expect, test } from "vitest";\n\ntest("adds prices", () => {\n  expect([2, 3].reduce((sum, price) => sum + price, 0)).toBe(5);\n});'
file vitest/package.json <<<$'{"name": "shop", "type": "module"}'
output vitest-pass vitest "$node/vitest run"
file mocha/cart.spec.js <<<$'const assert = require("assert");\nconst { total } = require("../js/cart");\n\ndescribe("cart", () => {\n  it("adds prices", () => assert.strictEqual(total([2, 3]), 5));\n  it("is empty at first", () => assert.strictEqual(total([]), 0));\n});'
output mocha-pass mocha "$node/mocha cart.spec.js"
file node/cart.test.js <<<$'const test = require("node:test");\nconst assert = require("node:assert");\nconst { total } = require("../js/cart");\n\ntest("adds prices", () => assert.strictEqual(total([2, 3]), 5));'
output node-test-pass node 'node --test cart.test.js'
output node-test-pass-spec node 'node --test --test-reporter=spec cart.test.js'
file ava/package.json <<<$'{"name": "shop", "type": "module"}'
file ava/test.js <<<$'import test from "ava";\n\ntest("adds prices", (t) => t.is(2 + 3, 5));\ntest("is empty at first", (t) => t.is(0, 1));'
output ava-fail ava "$node/ava test.js"
file jasmine/spec/cart.spec.js <<<$'describe("cart", () => {\n  it("adds prices", () => expect(2 + 3).toBe(6));\n});'
output jasmine-fail jasmine "$node/jasmine spec/cart.spec.js"
file js/cart.js <<<$'exports.total = (prices) => prices.reduce((sum, price) => sum + price, 1);'
output jest-fail js "$node/jest --ci cart.test.js"
sed -i 's/toBe(5)/toBe(6)/' "$work/vitest/cart.test.js"
output vitest-fail vitest "$node/vitest run"
output mocha-fail mocha "$node/mocha cart.spec.js"
output node-test-fail node 'node --test cart.test.js'
output npm-test-fail js 'mkdir -p test && cp ../node/cart.test.js test/ && sed -i "s#../js/cart#../cart#" test/cart.test.js && rm -f cart.test.js && npm test 2>&1'
file node/crash.js <<<$'function price(order) {\n  return order.items[0].price;\n}\n\nprice({});'
output node-trace node 'node crash.js'
file ts/cart.ts <<<$'export function total(prices: number[]): number {\n  return prices.join(",");\n}\n\ntotal("3");'
output tsc-fail ts "$node/tsc --noEmit --strict cart.ts"
output tsc-fail-pretty ts "$node/tsc --noEmit --strict --pretty cart.ts"
file eslint/eslint.config.js <<<$'module.exports = [{ rules: { "no-unused-vars": "error", "no-undef": "error", eqeqeq: "warn" } }];'
file eslint/cart.js <<<$'const unused = 3;\nif (total == 4) {\n  total();\n}'
output eslint-fail eslint "$node/eslint cart.js"
output prettier-fail eslint "echo 'const a=1' > ugly.js; $node/prettier --check ugly.js"
output biome-fail eslint "$node/biome lint cart.js"

# Java
file java/Crash.java <<<$'import java.util.List;\n\npublic class Crash {\n    static int price(List<Integer> prices) {\n        return prices.get(3);\n    }\n\n    public static void main(String[] args) {\n        price(List.of(1));\n    }\n}'
output java-trace java 'javac Crash.java && java -cp . Crash'
file javac/Cart.java <<<$'public class Cart {\n    int total() {\n        return "three";\n    }\n}'
output javac-fail javac 'javac Cart.java'
pom='<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion><groupId>dev</groupId><artifactId>shop</artifactId><version>1</version><properties><maven.compiler.source>17</maven.compiler.source><maven.compiler.target>17</maven.compiler.target><project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties><dependencies><dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.13.2</version><scope>test</scope></dependency></dependencies></project>'
file maven/pom.xml <<<"$pom"
file maven/src/test/java/CartTest.java <<<$'import static org.junit.Assert.assertEquals;\n\nimport org.junit.Test;\n\npublic class CartTest {\n    @Test\n    public void addsPrices() {\n        assertEquals(5, 2 + 3);\n    }\n}'
maven='mvn -B -o -Dmaven.repo.local=/usr/share/maven-repo'
output maven-pass maven "$maven test"
sed -i 's/(5, 2/(6, 2/' "$work/maven/src/test/java/CartTest.java"
output maven-fail maven "$maven test"
file gradle/build.gradle <<<$'apply plugin: "java"\ndependencies { testCompile files("/usr/share/java/junit4.jar", "/usr/share/java/hamcrest-core.jar") }'
file gradle/src/test/java/CartTest.java <"$work/maven/src/test/java/CartTest.java"
output gradle-fail gradle 'gradle --console=plain --no-daemon test'
sed -i 's/(6, 2/(5, 2/' "$work/gradle/src/test/java/CartTest.java"
output gradle-pass gradle 'gradle --console=plain --no-daemon test'

# Ruby
file ruby/cart_spec.rb <<<$'def total(prices)\n  prices.sum\nend\n\nRSpec.describe "cart" do\n  it "adds prices" do\n    expect(total([2, 3])).to eq(5)\n  end\nend'
output rspec-pass ruby 'rspec cart_spec.rb'
sed -i 's/eq(5)/eq(6)/' "$work/ruby/cart_spec.rb"
output rspec-fail ruby 'rspec cart_spec.rb'
file ruby/cart_test.rb <<<$'require "minitest/autorun"\n\nclass CartTest < Minitest::Test\n  def test_adds_prices\n    assert_equal 6, [2, 3].sum\n  end\nend'
output minitest-fail ruby 'ruby cart_test.rb'
file ruby/crash.rb <<<$'def price(order)\n  order[:items].first\nend\n\nprice({})'
output ruby-trace ruby 'ruby crash.rb'

# PHP
file php/CartTest.php <<<$'<?php\nuse PHPUnit\\Framework\\TestCase;\n\nfinal class CartTest extends TestCase\n{\n    public function testAddsPrices(): void\n    {\n        $this->assertSame(5, array_sum([2, 3]));\n    }\n}'
output phpunit-pass php 'phpunit CartTest.php'
sed -i 's/(5, /(6, /' "$work/php/CartTest.php"
output phpunit-fail php 'phpunit CartTest.php'
file php/crash.php <<<$'<?php\nfunction price(array $order): int\n{\n    return $order["items"][0]->price();\n}\n\nprice(["items" => [null]]);'
output php-fatal php 'php crash.php'

# Perl, Lua, shell, Elixir
file perl/t/cart.t <<<$'use Test::More tests => 2;\nis(2 + 3, 5, "adds prices");\nis(0, 1, "is empty at first");'
output prove-fail perl 'prove t'
output tap perl 'perl t/cart.t'
file lua/spec/cart_spec.lua <<<$'describe("cart", function()\n  it("adds prices", function() assert.are.equal(5, 2 + 3) end)\n  it("is empty", function() assert.are.equal(0, 1) end)\nend)'
output busted-fail lua 'busted --output=plainTerminal spec'
file lua/crash.lua <<<$'local function price(order)\n  return order.items.first\nend\n\nprice({})'
output lua-trace lua 'lua crash.lua'
file bats/cart.bats <<<$'@test "adds prices" {\n  [ $((2 + 3)) -eq 5 ]\n}\n\n@test "is empty at first" {\n  [ 0 -eq 1 ]\n}'
output bats-fail bats 'bats cart.bats'
file shell/deploy.sh <<<$'#!/bin/sh\nfor f in $(ls *.txt); do\n  rm $f\ndone'
output shellcheck shell 'shellcheck deploy.sh'
file elixir/cart_test.exs <<<$'ExUnit.start(colors: [enabled: false])\n\ndefmodule CartTest do\n  use ExUnit.Case\n\n  test "adds prices" do\n    assert 2 + 3 == 6\n  end\nend'
output exunit-fail elixir 'elixir cart_test.exs'

# C
file c/main.c <<<$'#include <stdio.h>\n\nint main(void) {\n    int prices[2] = {1, 2};\n    int *none = 0;\n    printf("%d\\n", total(prices) + none[0]);\n    return "three";\n}'
output gcc-fail c 'gcc -Wall -Werror -o main main.c'
file c/Makefile <<<$'main: main.c\n\tgcc -Wall -Werror -o main main.c'
output make-fail c 'make'
file asan/main.c <<<$'#include <stdlib.h>\n\nint main(void) {\n    int *prices = malloc(2 * sizeof(int));\n    prices[2] = 3;\n    return prices[2];\n}'
output asan asan 'gcc -g -fsanitize=address -o main main.c && ./main'
output valgrind asan 'gcc -g -o plain main.c && valgrind --leak-check=no ./plain'
output segfault asan 'echo "int main(void) { return *(volatile int *)0; }" > null.c && gcc -o null null.c 2>/dev/null && bash -c "./null; echo exit code: \$?"'
output cppcheck asan 'cppcheck --enable=warning main.c'
file ctest/CMakeLists.txt <<<$'cmake_minimum_required(VERSION 3.10)\nproject(shop NONE)\nenable_testing()\nadd_test(NAME adds COMMAND true)\nadd_test(NAME empties COMMAND false)'
output ctest-fail ctest 'cmake -B build . >/dev/null && cd build && ctest'

# Servers, containers, databases, git
file www/index.html <<<'<h1>shop</h1>'
output curl-headers www 'python3 -m http.server 8791 >/dev/null 2>&1 & pid=$!; sleep 1; curl -sS -i http://127.0.0.1:8791/index.html; kill $pid'
output curl-verbose www 'python3 -m http.server 8792 >/dev/null 2>&1 & pid=$!; sleep 1; curl -v http://127.0.0.1:8792/missing 2>&1 | head -20; kill $pid'
output curl-refused www 'curl -sS http://127.0.0.1:9/'
output docker-fail . 'docker build -t shop . '
output docker-run-fail . 'docker run --rm shop'
output sqlite-error . "sqlite3 :memory: 'select price from orders'"
output git-conflict gitrepo 'git init -q -b main . && git config user.email dev@example.com && git config user.name dev && echo a > f && git add f && git commit -qm a && git checkout -qb b && echo b > f && git commit -qam b && git checkout -q main && echo c > f && git commit -qam c && git merge b'
output git-push-fail gitrepo 'git push nowhere'
output curl-verbose-refused www 'curl -sv http://127.0.0.1:9/'

# Commands that fail by themselves
file plain/y.py <<<'x = ('
output python-syntax-fail plain 'python3 y.py'
file plain/t.php <<<$'<?php\necho 1;'
output php-lint-pass plain 'php -l t.php'
output shell-unknown-fail plain 'bash -c "foo --bar"'
output dash-unknown-fail plain 'dash -c "foo --bar"'
output cat-missing-fail plain 'cat nofile'
rm -rf "${work%/shop}"
